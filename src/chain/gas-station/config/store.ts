import { NOW, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import type { GasConfig, GasTerms } from './record';

const COLUMNS = [
  ...['chain', 'gasThreshold', 'gasTopupAmount', 'maxGasPrice', 'dailyGasBudget', 'minSweepAmount'],
  ...[
    'treasuryAddress',
    'sweepConfirmations',
    'autoSweep',
    'sweepStrategy',
    'stationAddress',
    'stationWalletId',
    'nextTreasuryAddress',
    'nextTreasuryAt',
    'version',
    'createdAt',
    'updatedAt',
  ],
];
const configs = () => table('gas_configs');

/** Postgres returns NUMERIC as text. */
type Row = Omit<
  GasConfig,
  'gasThreshold' | 'gasTopupAmount' | 'maxGasPrice' | 'dailyGasBudget' | 'minSweepAmount'
> &
  Record<'gasThreshold' | 'gasTopupAmount', string> &
  Record<'maxGasPrice' | 'dailyGasBudget', string | null> & { minSweepAmount: Record<string, string> };

const decimalOrNull = (value: string | null) => (value === null ? null : new Decimal(value));
const mapped = <From, To>(all: Readonly<Record<string, From>>, turn: (each: From) => To) =>
  Object.fromEntries(Object.entries(all).map(([key, each]) => [key, turn(each)]));

const configOf = (row: Row): GasConfig => ({
  ...row,
  gasThreshold: new Decimal(row.gasThreshold),
  gasTopupAmount: new Decimal(row.gasTopupAmount),
  maxGasPrice: decimalOrNull(row.maxGasPrice),
  dailyGasBudget: decimalOrNull(row.dailyGasBudget),
  minSweepAmount: mapped(row.minSweepAmount, (text) => new Decimal(text)),
});

const rowOf = (terms: GasTerms) => ({
  gasThreshold: terms.gasThreshold.toFixed(),
  gasTopupAmount: terms.gasTopupAmount.toFixed(),
  maxGasPrice: terms.maxGasPrice?.toFixed() ?? null,
  dailyGasBudget: terms.dailyGasBudget?.toFixed() ?? null,
  minSweepAmount: JSON.stringify(mapped(terms.minSweepAmount, (amount) => amount.toFixed())),
  treasuryAddress: terms.treasuryAddress,
  sweepConfirmations: terms.sweepConfirmations,
  autoSweep: terms.autoSweep,
  sweepStrategy: terms.sweepStrategy,
});

/** @param lock holds the configuration until the transaction ends */
export async function findGasConfig(
  sql: Sql,
  chain: string,
  lock?: 'update',
): Promise<GasConfig | undefined> {
  const query = configs().select(COLUMNS).where({ chain });
  if (lock) void query.forNoKeyUpdate();
  const [row] = await sql.run<Row>(query);
  return row && configOf(row);
}

/** Creates the row of a configuration if there is none, so that it can be locked. */
export async function insertGasConfig(tx: Sql, config: GasConfig): Promise<void> {
  const { chain, stationAddress, stationWalletId, version } = config;
  const row = { ...rowOf(config), chain, stationAddress, stationWalletId, version };
  await tx.run(
    configs()
      .insert({ ...row, createdAt: NOW, updatedAt: NOW })
      .onConflict('chain')
      .ignore(),
  );
}

/** Updates the terms. The caller holds the row's lock. */
export const updateGasTerms = (
  tx: Sql,
  chain: string,
  terms: GasTerms & NextTreasury,
  version: number,
): Promise<GasConfig> => {
  const { nextTreasuryAddress, nextTreasuryAt } = terms;
  return updateGasConfig(tx, chain, { ...rowOf(terms), nextTreasuryAddress, nextTreasuryAt, version });
};

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

async function updateGasConfig(tx: Sql, chain: string, change: object): Promise<GasConfig> {
  const [row] = await tx.run<Row>(
    configs()
      .where({ chain })
      .update({ ...change, updatedAt: NOW })
      .returning(COLUMNS),
  );
  if (!row) throw new Error(`the gas configuration of ${chain} was locked and no longer exists`);
  return configOf(row);
}
