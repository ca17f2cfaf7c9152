import { type Locking, locked, NOW } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable, safeInteger } from '../../kernel/db/record-table';
import { Decimal } from '../../kernel/money/money';
import { isChainName, type Network, type NetworkAsset, settingsOf } from './record';

const COLUMNS = [
  ...['chain', 'name', 'kind', 'chainId', 'explorerUrl', 'confirmations', 'enabled', 'assets', 'version'],
  ...['feeModel', 'finality', 'requestsPerSecond', 'createdAt', 'updatedAt'],
];

const CODECS = {
  chainId: safeInteger,
  assets: {
    read: (stored: (Omit<NetworkAsset, 'minDeposit'> & { minDeposit: string })[]): NetworkAsset[] =>
      stored.map((asset) => ({ ...asset, minDeposit: new Decimal(asset.minDeposit) })),
    write: (assets: readonly NetworkAsset[]) =>
      JSON.stringify(assets.map((asset) => ({ ...asset, minDeposit: asset.minDeposit.toFixed() }))),
  },
};

/** A network with its sealed node addresses. */
export type SealedNetwork = Network & { rpcUrls: Buffer };

const networks = recordTable<Network>('networks', CODECS, COLUMNS);
const sealedNetworks = recordTable<SealedNetwork>('networks', CODECS, [...COLUMNS, 'rpcUrls']);

export async function findSealedNetwork(
  sql: Sql,
  chain: string,
  locking: Locking = {},
): Promise<SealedNetwork | undefined> {
  if (!isChainName(chain)) return undefined;
  return sealedNetworks.one(sql, sealedNetworks().where({ chain }).modify(locked, locking));
}

export async function findNetwork(
  sql: Sql,
  chain: string,
  locking: Locking = {},
): Promise<Network | undefined> {
  if (!isChainName(chain)) return undefined;
  return networks.one(sql, networks().where({ chain }).modify(locked, locking));
}

/** Lists all networks by name. */
export const listNetworks = (sql: Sql): Promise<Network[]> => networks.all(sql, networks().orderBy('chain'));

export const listSealedNetworks = (sql: Sql): Promise<SealedNetwork[]> =>
  sealedNetworks.all(sql, sealedNetworks().orderBy('chain'));

export async function isAnyEnabled(sql: Sql): Promise<boolean> {
  return (await sql.run(networks().select('chain').where({ enabled: true }).limit(1))).length > 0;
}

/** Lists the enabled networks of a kind, and keeps them as they are. Leaves out networks that are being changed. */
export const lockEnabledNetworks = (tx: Sql, kind: Network['kind']): Promise<Network[]> =>
  networks.all(tx, networks().where({ kind, enabled: true }).orderBy('chain').forShare().skipLocked());

/**
 * Finds another network with the same chain id. A lock keeps anybody else from creating one until the transaction ends.
 */
export async function lockOtherOfChain(
  tx: Sql,
  { chain, chainId }: Pick<Network, 'chain' | 'chainId'>,
): Promise<string | undefined> {
  // Raw: an advisory lock, because there may be no row to lock yet.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 143))`, [String(chainId)]);
  const query = networks().select('chain').where({ chainId }).whereNot({ chain });
  return (await tx.run<{ chain: string }>(query))[0]?.chain;
}

/** The terms that an operator sets. Node addresses are sealed under the chain's name. */
type SealedTerms = Omit<SealedNetwork, 'chain' | 'version' | 'createdAt' | 'updatedAt'>;

/** @returns undefined when the network was created meanwhile */
export function insertNetwork(
  tx: Sql,
  chain: string,
  terms: SealedTerms,
  at: Date,
): Promise<Network | undefined> {
  const row = { ...columnsOf(terms), chain, version: 1, createdAt: at, updatedAt: at };
  return networks.writtenOne(tx, networks().insert(row).onConflict('chain').ignore());
}

/** Updates a network that the caller has locked. */
export function updateNetwork(tx: Sql, chain: string, terms: SealedTerms, version: number): Promise<Network> {
  const row = { ...columnsOf(terms), version, updatedAt: NOW };
  return networks.saved(tx, networks().where({ chain }).update(row));
}

const columnsOf = (terms: SealedTerms): Record<string, unknown> =>
  sealedNetworks.row({ ...settingsOf(terms), rpcUrls: terms.rpcUrls });
