import { type Locking, locked, NOW } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import { Decimal } from '../../../kernel/money/money';
import type { GasConfig, GasTerms } from './record';

/** JSONB with amounts as text. */
const amounts = {
  read: (stored: Record<string, string>): Record<string, Decimal> =>
    mapped(stored, (text) => new Decimal(text)),
  write: (bySymbol: GasTerms['minSweepAmount']) =>
    JSON.stringify(mapped(bySymbol, (amount) => amount.toFixed())),
};

const mapped = <From, To>(all: Readonly<Record<string, From>>, turn: (each: From) => To) =>
  Object.fromEntries(Object.entries(all).map(([key, each]) => [key, turn(each)]));

const configs = recordTable<GasConfig>(
  'gas_configs',
  {
    gasThreshold: decimal,
    gasTopupAmount: decimal,
    maxGasPrice: decimal,
    dailyGasBudget: decimal,
    minSweepAmount: amounts,
  },
  [
    ...['chain', 'gasThreshold', 'gasTopupAmount', 'maxGasPrice', 'dailyGasBudget', 'minSweepAmount'],
    ...['treasuryAddress', 'sweepConfirmations', 'autoSweep', 'sweepStrategy', 'stationAddress'],
    ...['stationWalletId', 'nextTreasuryAddress', 'nextTreasuryAt', 'version', 'createdAt', 'updatedAt'],
  ],
);

export const findGasConfig = (
  sql: Sql,
  chain: string,
  locking: Locking = {},
): Promise<GasConfig | undefined> => configs.one(sql, configs().where({ chain }).modify(locked, locking));

/** Creates the row of a configuration if there is none, so that it can be locked. */
export async function insertGasConfig(tx: Sql, config: GasConfig): Promise<void> {
  const row = { ...configs.row(config), createdAt: NOW, updatedAt: NOW };
  await tx.run(configs().insert(row).onConflict('chain').ignore());
}

/** Updates the terms. The caller holds the row's lock. */
export const updateGasTerms = (
  tx: Sql,
  chain: string,
  terms: GasTerms & NextTreasury,
  version: number,
): Promise<GasConfig> => updateGasConfig(tx, chain, { ...terms, version });

type NextTreasury = Pick<GasConfig, 'nextTreasuryAddress' | 'nextTreasuryAt'>;

/** Sets the treasury and clears a waiting one. The caller holds the row's lock. */
export const updateTreasury = (
  tx: Sql,
  chain: string,
  treasuryAddress: string | null,
  version: number,
): Promise<GasConfig> =>
  updateGasConfig(tx, chain, { treasuryAddress, nextTreasuryAddress: null, nextTreasuryAt: null, version });

/** Sets the station. The caller holds the row's lock. */
export const updateStation = (
  tx: Sql,
  chain: string,
  station: Pick<GasConfig, 'stationAddress' | 'stationWalletId'>,
): Promise<GasConfig> => updateGasConfig(tx, chain, station);

function updateGasConfig(tx: Sql, chain: string, change: Partial<GasConfig>): Promise<GasConfig> {
  const row = { ...configs.row(change), updatedAt: NOW };
  return configs.saved(tx, configs().where({ chain }).update(row));
}
