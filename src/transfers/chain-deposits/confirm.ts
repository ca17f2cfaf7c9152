import { requireHash } from '../../chain/networks/hashes';
import { requireChainAnswer } from '../../chain/networks/nodes/chain-answer';
import { nodeOf } from '../../chain/networks/nodes/nodes';
import type { Network } from '../../chain/networks/record';
import { newestAllocationOf, requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { invalid, notFound, Problem } from '../../kernel/errors';
import type { ChainNode, ChainTransfer } from '../../parties/chain/port';
import type { Services } from '../../services';
import { findByRefs, findTransfers } from '../engine/read';
import { refsOfHash } from '../engine/tables/on-chain';
import { carriedOf, keepTransfers } from './discover';
import { chainDepositKind } from './kind';
import { type ChainDeposit, chainDepositRef, logIndexOf } from './record';
import { sentByOthers } from './sent-by-others';

export interface DepositClaim {
  chain: string;
  address: string;
  txHash: string;
  /** Block-wide, as explorers show it. */
  logIndex?: number | undefined;
}

/** Result of a claim: the transfers to the address, and the name of the deposit that the caller asks for. */
export interface FoundOnChain {
  network: Network;
  /** Transfers to book. Empty when only the stored deposit is known. */
  transfers: ChainTransfer[];
  ref: string;
  /** Names of known deposits that look at the chain next. */
  look: string[];
}

/**
 * Finds what a transaction has brought to a pool address. Read-only. A known deposit is found whatever the chain says,
 * also while no node answers, because a client has no other way to read it.
 * @param reach tenant that must have, or have had, the wallet; null: anybody
 * @throws Problem 404 `chain`, `address`; for an unknown deposit 400 naming `txHash` or `logIndex`; 503 while no node
 *   answers
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
  const { network, node } = await nodeOf(services, database, chain);
  const given = { ...claim, address: wallet.address, txHash: requireHash(network, claim.txHash) };
  const recorded = await recordedOf(services, given);
  const known = named(recorded, given.logIndex);
  return foundBy(node, database, network, given, known);
}

/** Lists the deposits of a transaction to an address, in its order. Deposits that are gone for good come last. */
async function recordedOf(services: Services, claim: DepositClaim): Promise<ChainDeposit[]> {
  const refs = await refsOfHash(services.database, claim);
  if (refs.length === 0) return [];
  const place = ({ transfer }: ChainDeposit) => refs.indexOf(transfer.partyRef ?? '');
  const found = await findByRefs(services, chainDepositKind, refs);
  return found.sort((one, other) => place(one) - place(other));
}

/** Prefers the latest log index over the first one, because a transaction mined again gets another index. */
const named = (recorded: readonly ChainDeposit[], logIndex: number | undefined): ChainDeposit | undefined =>
  logIndex === undefined
    ? recorded[0]
    : (recorded.find((each) => logIndexOf(each.transfer) === logIndex) ??
      recorded.find(({ transfer }) => transfer.terms.logIndex === logIndex));

const refOf = ({ transfer: { partyRef, terms } }: ChainDeposit): string =>
  partyRef ?? chainDepositRef(terms.chain, terms);

/**
 * Answers a deposit that the chain no longer confirms from the record. Every transfer that the chain confirms is
 * booked.
 */
async function foundBy(
  node: ChainNode,
  sql: Sql,
  network: Network,
  claim: DepositClaim,
  known: ChainDeposit | undefined,
): Promise<FoundOnChain> {
  try {
    const transfers = await broughtBy(node, sql, network, claim);
    const isThere = known !== undefined && known.transfer.word?.state !== 'gone';
    const look = known ? [refOf(known)] : [];
    return { network, transfers, look, ref: isThere ? refOf(known) : nameOf(transfers, claim) };
  } catch (error) {
    if (!known || !(error instanceof Problem)) throw error;
    return { network, transfers: [], look: [refOf(known)], ref: refOf(known) };
  }
}

/** @throws Problem 400 `logIndex` */
function nameOf(transfers: readonly ChainTransfer[], { chain, logIndex }: DepositClaim): string {
  const found = logIndex === undefined ? transfers[0] : transfers.find((each) => each.logIndex === logIndex);
  if (!found) throw invalid('logIndex must be the log of a transfer to this address.', 'logIndex');
  return chainDepositRef(chain, found);
}

/** @returns at least one transfer */
async function broughtBy(
  node: ChainNode,
  sql: Sql,
  network: Network,
  { chain, address, txHash }: DepositClaim,
): Promise<ChainTransfer[]> {
  const moved = await sentByOthers(sql, chain, await movedBy(node, txHash));
  const carried = carriedOf(
    network,
    moved.filter(({ to }) => to === address),
  );
  if (carried.length === 0)
    throw invalid('txHash has brought this address no asset of the network.', 'txHash');
  return carried.map(({ transfer }) => transfer);
}

/**
 * Returns all transfers of a transaction.
 * @throws Problem 400 `txHash` for a transaction that is unknown, pending or reverted
 */
export async function movedBy(node: ChainNode, txHash: string): Promise<ChainTransfer[]> {
  const found = await requireChainAnswer(node.transaction(txHash));
  if (found.status === 'unknown') throw invalid('txHash is not known to the chain.', 'txHash');
  if (found.status === 'pending') throw invalid('txHash is not in a block yet.', 'txHash');
  if (found.status === 'reverted') throw invalid('txHash was reverted and has moved nothing.', 'txHash');
  return found.transfers;
}

/**
 * Books each found transfer once, as the watcher would, and makes the requested deposit look at the chain.
 * @param idempotencyKey of the call; stored on the deposits that it creates
 * @returns the requested deposit as it is now
 * @throws Problem 404 when the wallet was another tenant's at that time
 */
export async function confirmDeposit(
  services: Services,
  tx: Tx,
  { network, transfers, ref, look }: FoundOnChain,
  { reach, idempotencyKey }: { reach: string | null; idempotencyKey?: string | undefined },
): Promise<ChainDeposit> {
  await keepTransfers(services, tx, network, transfers, { told: look, idempotencyKey });
  const [deposit] = await findByRefs({ database: tx, now: services.now }, chainDepositKind, [ref]);
  return shownTo(reach, deposit);
}

/**
 * Reads a confirmed deposit again.
 * @throws Problem 404
 */
export async function readConfirmed(
  services: Services,
  id: string,
  reach: string | null,
): Promise<ChainDeposit> {
  const [deposit] = await findTransfers(services, chainDepositKind, [id]);
  return shownTo(reach, deposit);
}

/**
 * Shows a deposit without an owner to a tenant who once had the wallet and names its transaction.
 * @throws Problem 404
 */
function shownTo(reach: string | null, deposit: ChainDeposit | undefined): ChainDeposit {
  const tenantId = deposit?.transfer.tenantId ?? null;
  if (!deposit || (reach !== null && tenantId !== null && tenantId !== reach))
    throw notFound('wallet', 'address');
  return deposit;
}
