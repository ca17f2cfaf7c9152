import { NOW, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { keptDecimal } from '../../kernel/wire/schemas';
import { isChainName, type Network, type NetworkAsset } from './record';

const COLUMNS = [
  ...['chain', 'name', 'kind', 'chainId', 'explorerUrl', 'confirmations', 'enabled', 'assets', 'version'],
  ...['createdAt', 'updatedAt'],
];

type Row = Omit<Network, 'chainId' | 'assets'> & {
  chainId: string;
  assets: (Omit<NetworkAsset, 'minDeposit'> & { minDeposit: string })[];
};

const networks = () => table('networks');

/** A network with its sealed node addresses. */
export interface SealedNetwork {
  network: Network;
  rpcUrls: Buffer;
}

/** @param lock holds the network until the transaction ends */
export async function findSealedNetwork(
  sql: Sql,
  chain: string,
  lock?: 'update',
): Promise<SealedNetwork | undefined> {
  if (!isChainName(chain)) return undefined;
  const query = networks()
    .select([...COLUMNS, 'rpcUrls'])
    .where({ chain });
  if (lock) void query.forNoKeyUpdate();
  const [row] = await sql.run<Row & { rpcUrls: Buffer }>(query);
  if (!row) return undefined;
  const { rpcUrls, ...rest } = row;
  return { network: networkOf(rest), rpcUrls };
}

/** @param lock keeps the network unchanged until the transaction ends */
export async function findNetwork(sql: Sql, chain: string, lock?: 'share'): Promise<Network | undefined> {
  if (!isChainName(chain)) return undefined;
  const query = networks().select(COLUMNS).where({ chain });
  if (lock) void query.forShare();
  const [row] = await sql.run<Row>(query);
  return row && networkOf(row);
}

/** Lists all networks by name. */
export async function listNetworks(sql: Sql): Promise<Network[]> {
  return (await sql.run<Row>(networks().select(COLUMNS).orderBy('chain'))).map(networkOf);
}

export async function listSealedNetworks(sql: Sql): Promise<SealedNetwork[]> {
  const rows = await sql.run<Row & { rpcUrls: Buffer }>(
    networks()
      .select([...COLUMNS, 'rpcUrls'])
      .orderBy('chain'),
  );
  return rows.map(({ rpcUrls, ...row }) => ({ network: networkOf(row), rpcUrls }));
}

export async function isAnyEnabled(sql: Sql): Promise<boolean> {
  return (await sql.run(networks().select('chain').where({ enabled: true }).limit(1))).length > 0;
}

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

/** The written columns of a network. Node addresses are sealed under the chain's name. */
export interface NetworkRow
  extends Pick<
    Network,
    'name' | 'kind' | 'chainId' | 'explorerUrl' | 'confirmations' | 'enabled' | 'assets'
  > {
  rpcUrls: Buffer;
}

/** @returns undefined when the network was created meanwhile */
export async function insertNetwork(
  tx: Sql,
  chain: string,
  given: NetworkRow,
  at: Date,
): Promise<Network | undefined> {
  const row = { ...columnsOf(given), chain, version: 1, createdAt: at, updatedAt: at };
  const [made] = await tx.run<Row>(networks().insert(row).onConflict('chain').ignore().returning(COLUMNS));
  return made && networkOf(made);
}

/** Updates a network that the caller has locked. */
export async function updateNetwork(
  tx: Sql,
  chain: string,
  given: NetworkRow,
  version: number,
): Promise<Network> {
  const [changed] = await tx.run<Row>(
    networks()
      .where({ chain })
      .update({ ...columnsOf(given), version, updatedAt: NOW })
      .returning(COLUMNS),
  );
  if (!changed) throw new Error(`the network ${chain} was locked and no longer exists`);
  return networkOf(changed);
}

const columnsOf = (given: NetworkRow) => {
  const { name, kind, chainId, rpcUrls, explorerUrl, confirmations, enabled, assets } = given;
  const kept = assets.map((asset) => ({ ...asset, minDeposit: asset.minDeposit.toFixed() }));
  return {
    ...{ name, kind, chainId, rpcUrls, explorerUrl, confirmations, enabled },
    assets: JSON.stringify(kept),
  };
};

const networkOf = ({ chainId, assets, ...row }: Row): Network => ({
  ...row,
  chainId: Number(chainId),
  assets: assets.map((asset) => ({ ...asset, minDeposit: keptDecimal.parse(asset.minDeposit) })),
});
