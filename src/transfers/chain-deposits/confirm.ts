import { askedOfChain } from '../../chain/networks/asking';
import { requireHash } from '../../chain/networks/hashes';
import { witnessOf } from '../../chain/networks/nodes';
import type { Network } from '../../chain/networks/record';
import { newestAllocationOf, requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import type { ChainNode, ChainTransfer } from '../../parties/chain/port';
import type { Services } from '../../services';
import { findByRefs } from '../engine/read';
import { refsOfHash } from '../engine/tables/on-chain';
import { carriedOf, keepTransfers } from './discover';
import { chainDepositKind } from './kind';
import { sentByOthers } from './own-money';
import { type ChainDeposit, chainDepositRef } from './record';

export interface DepositClaim {
  chain: string;
  address: string;
  txHash: string;
  /** Block-wide, as explorers show it; of a chain that no node is asked about the ordinal in the transaction. */
  logIndex?: number | undefined;
}

/** What a claim has come to: what the chain has moved to that address, and the name of the deposit that is asked for. */
export interface FoundOnChain {
  network: Network;
  /** To be booked, where they are not yet; nothing where people tell of deposits. */
  transfers: ChainTransfer[];
  ref: string;
}

/**
 * What a transaction has brought to an address of the pool. Nothing is recorded.
 * @param reach whose wallet it must be or have been; null: anybody's
 * @throws Problem 404 `chain`, `address`; 400 naming `txHash` or `logIndex`; 503 while no node answers; 409 `invalid_transition` of a
 *   chain that none is asked about, for what the operator has not recorded
 */
export async function findOnChain(
  services: Services,
  claim: DepositClaim,
  reach: string | null,
): Promise<FoundOnChain> {
  const { database } = services;
  const { chain, address } = claim;
  const { wallet } = await requireWallet(database, { chain, address });
  const mayAsk = reach === null || (await newestAllocationOf(database, reach, wallet.id)) !== undefined;
  if (wallet.purpose !== 'pool' || !mayAsk) throw notFound('wallet', 'address');
  const { network, node } = await witnessOf(services, database, chain);
  const given = { ...claim, address: wallet.address, txHash: requireHash(network, claim.txHash) };
  return node ? foundBy(node, database, network, given) : recordedOf(database, network, given);
}

/** What people have recorded of it: nobody else can be asked. */
async function recordedOf(sql: Sql, network: Network, claim: DepositClaim): Promise<FoundOnChain> {
  const { chain, txHash, logIndex } = claim;
  const refs = await refsOfHash(sql, claim);
  const named = logIndex === undefined ? undefined : chainDepositRef(chain, { txHash, ordinal: logIndex });
  const ref = named === undefined ? refs[0] : refs.find((each) => each === named);
  if (ref === undefined)
    throw conflict(
      'invalid_transition',
      `Deposits on ${network.name} are recorded by the operator, who looks at the chain: this one is not recorded yet.`,
      refs.length === 0 ? 'txHash' : 'logIndex',
    );
  return { network, transfers: [], ref };
}

async function foundBy(
  node: ChainNode,
  sql: Sql,
  network: Network,
  { chain, address, txHash, logIndex }: DepositClaim,
): Promise<FoundOnChain> {
  const moved = await sentByOthers(sql, chain, await movedBy(node, txHash));
  const transfers = carriedOf(
    network,
    moved.filter(({ to }) => to === address),
  ).map(({ transfer }) => transfer);
  const [first] = transfers;
  if (!first) throw invalid('txHash has brought this address nothing that the network carries.', 'txHash');
  const named = logIndex === undefined ? first : transfers.find((each) => each.logIndex === logIndex);
  if (!named) throw invalid('logIndex is none of a transfer to this address.', 'logIndex');
  return { network, transfers, ref: chainDepositRef(chain, named) };
}

async function movedBy(node: ChainNode, txHash: string): Promise<ChainTransfer[]> {
  const found = await askedOfChain(node.transaction(txHash));
  if (found.status === 'unknown') throw invalid('txHash is not known to the chain.', 'txHash');
  if (found.status === 'pending') throw invalid('txHash is in no block yet.', 'txHash');
  if (found.status === 'reverted') throw invalid('txHash has failed: it has moved nothing.', 'txHash');
  return found.transfers;
}

/**
 * Books each transfer that was found once, as the blocks would have.
 * @returns the one that was asked for, as it is now
 * @throws Problem 404 where it was another tenant's wallet at the time
 */
export async function confirmDeposit(
  services: Services,
  tx: Tx,
  { network, transfers, ref }: FoundOnChain,
  reach: string | null,
): Promise<ChainDeposit> {
  await keepTransfers(services, tx, network, transfers);
  const [deposit] = await findByRefs({ database: tx, now: services.now }, chainDepositKind, [ref]);
  const tenantId = deposit?.transfer.tenantId ?? null;
  if (!deposit || (reach !== null && tenantId !== null && tenantId !== reach))
    throw notFound('wallet', 'address');
  return deposit;
}
