import { askedOfChain } from '../../chain/networks/asking';
import { requireHash } from '../../chain/networks/hashes';
import { nodeOf } from '../../chain/networks/nodes';
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
import { sentByOthers } from './own-money';
import { type ChainDeposit, chainDepositRef, logIndexOf } from './record';

export interface DepositClaim {
  chain: string;
  address: string;
  txHash: string;
  /** Block-wide, as explorers show it. */
  logIndex?: number | undefined;
}

/** What a claim has come to: what the chain has moved to that address, and the name of the deposit that is asked for. */
export interface FoundOnChain {
  network: Network;
  /** To be booked, where they are not yet; nothing of what only the record tells. */
  transfers: ChainTransfer[];
  ref: string;
  /** The known ones that are to look at the chain, by name. */
  look: string[];
}

/**
 * What a transaction has brought to an address of the pool. Nothing is recorded. What is known of it is found whatever the chain
 * says by now, and where no node answers: there is no other way for a client to read its deposit.
 * @param reach whose wallet it must be or have been; null: anybody's
 * @throws Problem 404 `chain`, `address`; of what is not known 400 naming `txHash` or `logIndex`; 503 while no node answers
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

/** The deposits that a transaction has brought to an address, in its order; those that are gone for good come last. */
async function recordedOf(services: Services, claim: DepositClaim): Promise<ChainDeposit[]> {
  const refs = await refsOfHash(services.database, claim);
  if (refs.length === 0) return [];
  const place = ({ transfer }: ChainDeposit) => refs.indexOf(transfer.partyRef ?? '');
  const found = await findByRefs(services, chainDepositKind, refs);
  return found.sort((one, other) => place(one) - place(other));
}

/** Where it was seen last comes before where it was found: mined again, another one may have that index. */
const named = (recorded: readonly ChainDeposit[], logIndex: number | undefined): ChainDeposit | undefined =>
  logIndex === undefined
    ? recorded[0]
    : (recorded.find((each) => logIndexOf(each.transfer) === logIndex) ??
      recorded.find(({ transfer }) => transfer.terms.logIndex === logIndex));

const refOf = ({ transfer: { partyRef, terms } }: ChainDeposit): string =>
  partyRef ?? chainDepositRef(terms.chain, terms);

/** What the chain does not bear out any more is answered as it is known; what it does is booked, whichever is asked for. */
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
  if (!found) throw invalid('logIndex is none of a transfer to this address.', 'logIndex');
  return chainDepositRef(chain, found);
}

/** One at least. */
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
    throw invalid('txHash has brought this address nothing that the network carries.', 'txHash');
  return carried.map(({ transfer }) => transfer);
}

async function movedBy(node: ChainNode, txHash: string): Promise<ChainTransfer[]> {
  const found = await askedOfChain(node.transaction(txHash));
  if (found.status === 'unknown') throw invalid('txHash is not known to the chain.', 'txHash');
  if (found.status === 'pending') throw invalid('txHash is in no block yet.', 'txHash');
  if (found.status === 'reverted') throw invalid('txHash has failed: it has moved nothing.', 'txHash');
  return found.transfers;
}

/**
 * Books each transfer that was found once, as the blocks would have, and has the one that is asked for looked at.
 * @param idempotencyKey of the call: the deposits carry it that are made now
 * @returns the one that was asked for, as it is now
 * @throws Problem 404 where it was another tenant's wallet at the time
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

/** The same later. @throws Problem 404 */
export async function readConfirmed(
  services: Services,
  id: string,
  reach: string | null,
): Promise<ChainDeposit> {
  const [deposit] = await findTransfers(services, chainDepositKind, [id]);
  return shownTo(reach, deposit);
}

/** One that is nobody's is shown to who has named its transaction, and had the wallet once. @throws Problem 404 */
function shownTo(reach: string | null, deposit: ChainDeposit | undefined): ChainDeposit {
  const tenantId = deposit?.transfer.tenantId ?? null;
  if (!deposit || (reach !== null && tenantId !== null && tenantId !== reach))
    throw notFound('wallet', 'address');
  return deposit;
}
