import { askedOfChain } from '../../chain/networks/asking';
import { nodeOf } from '../../chain/networks/nodes';
import type { Network } from '../../chain/networks/record';
import { newestAllocationOf, requireWallet } from '../../chain/wallets/operations';
import type { Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import type { ChainNode, ChainTransfer } from '../../parties/chain/port';
import type { Services } from '../../services';
import { findByRefs } from '../engine/read';
import { carriedOf, keepTransfers } from './discover';
import { chainDepositKind } from './kind';
import { sentByOthers } from './own-money';
import { type ChainDeposit, chainDepositRef } from './record';

export interface DepositClaim {
  chain: string;
  address: string;
  txHash: string;
  /** Block-wide, as explorers show it. */
  logIndex?: number | undefined;
}

/** What the chain says of a claim: transfers to that address, and the one that is asked for. */
export interface FoundOnChain {
  network: Network;
  transfers: ChainTransfer[];
  named: ChainTransfer;
}

/**
 * What a transaction has brought to an address of the pool. Nothing is recorded.
 * @param reach whose wallet it must be or have been; null: anybody's
 * @throws Problem 404 `chain`, `address`; 400 naming `txHash` or `logIndex`; 503 while no node answers
 */
export async function findOnChain(
  services: Services,
  { chain, address, txHash, logIndex }: DepositClaim,
  reach: string | null,
): Promise<FoundOnChain> {
  const { database } = services;
  const { wallet } = await requireWallet(database, { chain, address });
  const mayAsk = reach === null || (await newestAllocationOf(database, reach, wallet.id)) !== undefined;
  if (wallet.purpose !== 'pool' || !mayAsk) throw notFound('wallet', 'address');
  const { network, node } = await nodeOf(services, database, chain);
  const moved = await sentByOthers(database, chain, await movedBy(node, txHash.toLowerCase()));
  const transfers = carriedOf(
    network,
    moved.filter(({ to }) => to === wallet.address),
  ).map(({ transfer }) => transfer);
  const [first] = transfers;
  if (!first) throw invalid('txHash has brought this address nothing that the network carries.', 'txHash');
  const named = logIndex === undefined ? first : transfers.find((each) => each.logIndex === logIndex);
  if (!named) throw invalid('logIndex is none of a transfer to this address.', 'logIndex');
  return { network, transfers, named };
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
  { network, transfers, named }: FoundOnChain,
  reach: string | null,
): Promise<ChainDeposit> {
  await keepTransfers(services, tx, network, transfers);
  const ref = chainDepositRef(network.chain, named);
  const [deposit] = await findByRefs({ database: tx, now: services.now }, chainDepositKind, [ref]);
  const tenantId = deposit?.transfer.tenantId ?? null;
  if (!deposit || (reach !== null && tenantId !== null && tenantId !== reach))
    throw notFound('wallet', 'address');
  return deposit;
}
