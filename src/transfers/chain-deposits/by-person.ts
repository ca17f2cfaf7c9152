import { z } from 'zod';
import { operationOfHash } from '../../chain/gas-station/operations/read';
import { passRecorded, showSwept } from '../../chain/gas-station/shortfall';
import { requireHash } from '../../chain/networks/hashes';
import { assetOf, requireNetwork } from '../../chain/networks/operations';
import type { Network } from '../../chain/networks/record';
import { ledgerAmount, toUnits } from '../../chain/networks/rules';
import { lockToldHash, otherWord } from '../../chain/networks/told-hashes';
import { requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import { type Decimal, sumOf } from '../../kernel/money/money';
import { amount, timestamp } from '../../kernel/wire/schemas';
import { checkedAddress } from '../../parties/chain/addresses';
import { isAsked } from '../../parties/chain/witness';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import { type Found, freeName, openTransfer } from '../engine/open';
import { findByRefs, readSituation } from '../engine/read';
import { first } from '../engine/record';
import { refsOfTransaction } from '../engine/tables/on-chain';
import { decimalsIn, type FoundDeposit, openingsOf } from './discover';
import { heldByBooks } from './held';
import { chainDepositKind } from './kind';
import { oursAmong } from './own-money';
import { type ChainDeposit, type ChainDepositTerms, transactionRef } from './record';
import { isTakenBack, isTold, lastSaid, SEEN, TAKEN_BACK, wordOfPeople } from './told';

/**
 * What a person has seen on a chain that no node is asked about: one transfer to a wallet of the pool, in a block that is there for
 * good.
 */
export const toldDeposit = z.object({
  chain: z.string(),
  address: z.string(),
  /** A symbol of the network. */
  asset: z.string(),
  amount: amount(),
  txHash: z.string(),
  /** Of the log in its transaction's receipt, from 0: a transaction may bring several transfers. */
  ordinal: z.int().min(0).max(100_000),
  /** Who has sent it. */
  from: z.string(),
  blockNumber: z.int().min(0),
  /** The block's time: that says whose the wallet was. */
  blockAt: timestamp(),
  /** It is a further transfer of its transaction: what is told of that stands beside it. */
  also: z.boolean().default(false),
});
export type ToldDeposit = z.output<typeof toldDeposit>;

/** A decision of a person about a deposit. */
interface By {
  reason: string;
  decidedBy: string;
}

type Deps = Pick<Services, 'commands' | 'now'>;

/** What is to be recorded, and whose it would be. */
interface Recordable {
  opening: Found<ChainDepositTerms>;
  /** Of that name, which a person has taken back. */
  before: ChainDeposit | undefined;
  /** Further transfers of the transaction that people have told of. */
  beside: ChainDeposit[];
}

/**
 * How much money it would be, and about what; nothing is done.
 * @returns `beside`: the deposits of further transfers of its transaction, for whoever approves it; `over`: as {@link recordDeposit} takes it
 * @throws Problem as {@link recordDeposit}
 */
export async function weighDeposit(
  tx: Tx,
  given: ToldDeposit,
  at: Date,
): Promise<{
  weighed: { amount: Decimal; currency: string; subject: string; tenantId: string | null };
  beside: string[];
  over: string | null;
}> {
  const { opening, before, beside } = await recordable(tx, given, at);
  const { terms, accountId, tenantId } = opening;
  const subject = accountId ?? (await requireWallet(tx, terms)).wallet.id;
  return {
    weighed: { amount: terms.amount, currency: terms.asset, subject, tenantId },
    beside: beside.map(({ transfer }) => transfer.id),
    over: wordOn(before),
  };
}

/** @property replaces what was told of the transfer before with other terms, and taken back */
export interface Recorded {
  deposit: ChainDeposit;
  replaces: string | undefined;
}

/**
 * Records a deposit by a person's word: it is final by that, and credited, or kept in suspense, in this transaction; where it is to be
 * exchanged, as soon as there is a rate. One that was taken back is there again; told with other terms it is another one.
 * @param given.over the word that it is told over: by which its transfer was taken back; null: nobody has told of it
 * @throws Problem 404 `chain`, `address`; 400 naming the field; 409 `invalid_transition` for a chain whose nodes are asked, for a
 *   transfer that is recorded already, or was and was taken back since `over`, for a further one of its transaction that is not said to be that, and for an operation of ours
 */
export async function recordDeposit(
  services: Deps,
  tx: Tx,
  given: ToldDeposit & { over: string | null },
  { reason, decidedBy }: By,
): Promise<Recorded> {
  await lockToldHash(tx, given);
  const held = await requireWallet(tx, given, { lock: true });
  const { opening, before } = await recordable(tx, given, services.now());
  if (wordOn(before) !== given.over) throw otherWord();
  const isAgain = before !== undefined && isSameTold(before.transfer.terms, opening.terms);
  const deposit = isAgain ? before : await openAnew(services, tx, opening, before);
  const { after } = await decide(services, tx, chainDepositKind, {
    ...{ id: deposit.transfer.id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(locked) {
      if (isTold(locked)) throw recorded();
      return [{ kind: SEEN, reason }];
    },
  });
  await passRecorded(services, tx, held.wallet, await standing(tx, after, services.now()));
  return { deposit: after, replaces: isAgain ? undefined : before?.transfer.id };
}

/** What people have said of it last. */
const wordOn = (deposit: ChainDeposit | undefined): string | null =>
  (deposit && lastSaid(deposit)?.id) ?? null;

/** What was told before was wrong: it stays taken back, and its name is the new one's. */
async function openAnew(
  services: Deps,
  tx: Tx,
  opening: Found<ChainDepositTerms>,
  before: ChainDeposit | undefined,
): Promise<ChainDeposit> {
  const judge = (locked: ChainDeposit) => {
    if (!isTakenBack(locked) || locked.transfer.partyRef !== opening.partyRef) throw recorded();
  };
  if (before) await freeName(services, tx, chainDepositKind, { id: before.transfer.id, judge });
  const made = await openTransfer(services, tx, chainDepositKind, opening);
  if (!made) throw recorded();
  return made;
}

/**
 * Takes back what a person has recorded: what was credited is debited, whatever the balance. Where a sweep has moved it, that is shown.
 * @param given.word the decision that is meant: recorded again it is another one
 * @throws Problem 404; 409 `invalid_transition` where no person's word stands, or another one by now
 */
export async function takeBackDeposit(
  services: Deps,
  tx: Tx,
  { id, word }: { id: string; word: string | undefined },
  { reason, decidedBy }: By,
): Promise<Decided<ChainDeposit>> {
  const { transfer } = await toTakeBack(tx, id, services.now());
  const { wallet } = await requireWallet(tx, transfer.terms, { lock: true });
  const decided = await decide(services, tx, chainDepositKind, {
    ...{ id, noun: 'deposit', decidedBy, heard: wordOfPeople },
    judge(deposit) {
      assertTold(deposit);
      if (lastSaid(deposit)?.id !== word) throw otherWord();
      return [{ kind: TAKEN_BACK, reason }];
    },
  });
  const seenAt = await knownSince(tx, decided.before, services.now());
  await showSwept({ heldByBooks, now: services.now }, tx, wallet, { ...transfer.terms, id, seenAt });
  return decided;
}

/** How much of its transaction has come to its address in its asset, by what stands. */
async function standing(tx: Tx, { transfer: { terms } }: ChainDeposit, at: Date) {
  const { txHash, asset } = terms;
  const there = (await toldThere(tx, terms, at)).filter(isTold);
  const amount = sumOf(there.map(({ transfer }) => transfer.terms).filter((each) => each.asset === asset));
  return { txHash, asset, amount };
}

/** When people first told of its transaction that it has brought something to its address. */
async function knownSince(tx: Tx, { transfer: { terms, createdAt } }: ChainDeposit, at: Date): Promise<Date> {
  const there = await toldThere(tx, terms, at);
  const times = there.flatMap((each) => first(each, SEEN)?.at ?? []);
  return times.reduce((one, other) => (other < one ? other : one), times[0] ?? createdAt);
}

const toldThere = async (tx: Tx, terms: ChainDepositTerms, at: Date): Promise<ChainDeposit[]> =>
  (await toldOf(tx, terms, at)).filter(({ transfer }) => transfer.terms.address === terms.address);

/** What would be taken back. @throws Problem as {@link takeBackDeposit} */
export async function toTakeBack(sql: Sql, id: string, at: Date): Promise<ChainDeposit> {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  if (!deposit) throw notFound('deposit');
  assertTold(deposit);
  return deposit;
}

function assertTold(deposit: ChainDeposit): void {
  if (!isTold(deposit))
    throw conflict('invalid_transition', 'No word of a person stands that could be taken back.');
}

const recorded = () => conflict('invalid_transition', 'The transfer is recorded already.', 'txHash');

async function recordable(tx: Tx, given: ToldDeposit, at: Date): Promise<Recordable> {
  const network = await requireNetwork(tx, given.chain, 'chain');
  if (isAsked(network))
    throw conflict('invalid_transition', `Deposits on ${network.name} are found by its nodes.`, 'chain');
  const { wallet } = await requireWallet(tx, given);
  if (wallet.purpose !== 'pool') throw notFound('wallet', 'address');
  const found = transferOf(network, wallet.address, given, at);
  const { from, txHash } = found.transfer;
  if ((await oursAmong(tx, network.chain, [from])).has(from))
    throw invalid('from is an address of ours: what it sends is no deposit.', 'from');
  const operation = await operationOfHash(tx, network.chain, txHash);
  if (operation !== undefined)
    throw conflict('invalid_transition', `The transaction was confirmed of ${operation}.`, 'txHash');
  const [opening] = (await openingsOf({ now: () => at }, tx, network, [found])) as [Found<ChainDepositTerms>];
  return { opening, ...(await toldBefore(tx, given, opening, at)) };
}

/** @throws Problem 409 for what stands already, and for a further transfer that is not said to be one */
async function toldBefore(
  tx: Tx,
  { also }: ToldDeposit,
  { partyRef, terms }: Found<ChainDepositTerms>,
  at: Date,
): Promise<Omit<Recordable, 'opening'>> {
  const told = await toldOf(tx, terms, at);
  const before = told.find(({ transfer }) => transfer.partyRef === partyRef);
  if (before && isTold(before)) throw recorded();
  const beside = told.filter(isTold);
  const [stands] = beside;
  if (stands && !also)
    throw conflict(
      'invalid_transition',
      `${stands.transfer.id} is recorded of ordinal ${stands.transfer.terms.ordinal} of this transaction: a further transfer takes --also.`,
      'ordinal',
    );
  return { before, beside };
}

/** All that people have told of a transaction, taken back or not. */
async function toldOf(
  sql: Sql,
  { chain, txHash }: Pick<ChainDepositTerms, 'chain' | 'txHash'>,
  at: Date,
): Promise<ChainDeposit[]> {
  const refs = await refsOfTransaction(sql, transactionRef(chain, txHash));
  return refs.length === 0 ? [] : findByRefs({ database: sql, now: () => at }, chainDepositKind, refs);
}

/** The deposit that people have told of a transaction, and have not taken back. @returns its id */
export async function toldDepositOf(
  sql: Sql,
  transaction: { chain: string; txHash: string },
  at: Date,
): Promise<string | undefined> {
  const told = await toldOf(sql, transaction, at);
  return told.find(isTold)?.transfer.id;
}

function transferOf(network: Network, to: string, given: ToldDeposit, at: Date): FoundDeposit {
  const asset = assetOf(network, given.asset);
  if (!asset) throw invalid('asset must be an asset of the network.', 'asset');
  const decimals = decimalsIn(network, asset);
  if (given.amount.decimalPlaces() > decimals)
    throw invalid(`amount must have at most ${decimals} decimals.`, 'amount');
  const units = toUnits(given.amount, decimals);
  if (ledgerAmount(units, decimals, asset.symbol).amount.isZero())
    throw invalid(`amount is less than the ledger can hold of ${asset.symbol}.`, 'amount');
  const from = checkedAddress(network.kind, given.from);
  if (from === undefined) throw invalid(`from must be an address of ${network.name}.`, 'from');
  if (given.blockAt > at) throw invalid('blockAt must not be in the future.', 'blockAt');
  const { ordinal, blockNumber: number, blockAt } = given;
  const transfer = {
    ...{ txHash: requireHash(network, given.txHash), ordinal, token: asset.contract, from, to },
    ...{ units, block: { number, at: blockAt, hash: null } },
  };
  return { transfer, asset };
}

/** What people tell of a transfer, and whose it is by that. */
const TOLD = [
  ...(['address', 'token', 'units', 'decimals', 'from', 'blockNumber', 'blockAt', 'allocationId'] as const),
];

const isSameTold = (one: ChainDepositTerms, other: ChainDepositTerms): boolean =>
  TOLD.every((name) => one[name] === other[name]);
