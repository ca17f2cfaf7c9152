import { requireHash } from '../../chain/networks/hashes';
import { requireChainAnswer } from '../../chain/networks/nodes/chain-answer';
import { nodeOf } from '../../chain/networks/nodes/nodes';
import type { Network } from '../../chain/networks/record';
import { ownAmong, straysAmong } from '../../chain/wallets/operations';
import type { Tx } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import type { ChainTransfer } from '../../parties/chain/port';
import type { Services } from '../../services';
import { movedBy } from '../chain-deposits/confirm';
import { carriedOf, keepTransfers } from '../chain-deposits/discover';
import { chainDepositKind } from '../chain-deposits/kind';
import { type ChainDeposit, chainDepositRef } from '../chain-deposits/record';
import { sentByOthers } from '../chain-deposits/sent-by-others';
import { findByRefs } from '../engine/read';

/** The transfers of a transaction to addresses of ours, on any of their networks. */
export interface StrayTransfers {
  network: Network;
  transfers: ChainTransfer[];
  /** The present balance of each paid address, because money that was swept must not be claimed. */
  balances: (Pick<ChainTransfer, 'to' | 'token'> & { units: bigint })[];
}

/**
 * Finds what a transaction has brought to our addresses on a network, although they were derived for another one. Read-only.
 * @throws Problem 404 `chain`; 400 `txHash` when it has brought nothing of the network's assets; 503
 */
export async function findStray(
  services: Services,
  { chain, txHash }: { chain: string; txHash: string },
): Promise<StrayTransfers> {
  const { database, keyring } = services;
  const { network, node } = await nodeOf(services, database, chain);
  const moved = await sentByOthers(database, chain, await movedBy(node, requireHash(network, txHash)));
  const carried = carriedOf(network, moved).map(({ transfer }) => transfer);
  const addresses = [...new Set(carried.map(({ to }) => to))];
  const own = await ownAmong(database, chain, addresses);
  const strays = await straysAmong(database, keyring, chain, addresses);
  const transfers = carried.filter(({ to }) => own.has(to) || strays.get(to)?.isOurs);
  if (transfers.length === 0)
    throw invalid('txHash has brought our addresses no asset of the network.', 'txHash');
  const places = new Map(transfers.map(({ to, token }) => [`${token} ${to}`, { to, token }]));
  const balances = await requireChainAnswer(
    Promise.all(
      [...places.values()].map(async (place) => ({
        ...place,
        units: await node.balance(place.to, place.token),
      })),
    ),
  );
  return { network, transfers, balances };
}

/**
 * Books each transfer once, as the watcher would. Money at an address of another network waits in suspense.
 * @returns the deposits
 */
export async function claimStray(
  services: Services,
  tx: Tx,
  { network, transfers }: Pick<StrayTransfers, 'network' | 'transfers'>,
): Promise<ChainDeposit[]> {
  const told = transfers.map((transfer) => chainDepositRef(network.chain, transfer));
  await keepTransfers(services, tx, network, transfers, { told });
  return findByRefs({ database: tx, now: services.now }, chainDepositKind, told);
}
