import { operationWith } from '../../chain/gas-station/operations/read';
import { requireNetwork } from '../../chain/networks/operations';
import { fromUnits } from '../../chain/networks/rules';
import { ownAmong, requireWallet } from '../../chain/wallets/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import type { Keyring } from '../../kernel/security/keyring';
import type { Services } from '../../services';
import { type Decided, decide } from '../engine/decide';
import { type Found, freeName, openUnlessKnown } from '../engine/open';
import { findByRefs, readSituation } from '../engine/read';
import { refsUnshown } from '../engine/tables/on-chain';
import { type Carried, decimalsIn, openingsOf } from './discover';
import { approvedCredit, requireHeld } from './held-credit';
import { chainDepositKind } from './kind';
import type { ChainDeposit, ChainDepositTerms } from './record';
import { amountOf } from './rules';
import { lastSaid, SEEN, stands, TAKEN_BACK, wordOfPeople } from './word-of-people';

/** A person's decision on a deposit. */
interface By {
  reason: string;
  decidedBy: string;
}

type Deps = Pick<Services, 'commands' | 'keyring' | 'now'>;

/** A coin to record, and the deposit that already has its name. */
interface Recordable {
  opening: Found<ChainDepositTerms>;
  before: ChainDeposit | undefined;
}

/** A coin as the nodes have proven it, and the amount that a person states. */
export interface StatedCoin {
  chain: string;
  amount: Decimal;
  coin: Carried;
}

/**
 * Weighs the recording of a coin for approval limits. Read-only.
 * @returns `over`: for {@link recordDeposit}; `owner`: the account, null in suspense
 * @throws Problem as {@link recordDeposit}
 */
export async function weighDeposit(keyring: Keyring, tx: Tx, stated: StatedCoin, at: Date) {
  const { opening, before } = await recordable(keyring, tx, stated, at);
  const { terms, accountId: owner } = opening;
  return { amount: terms.amount, currency: terms.asset, owner, over: wordOn(before) };
}

/**
 * Records native coin that a contract passed on to a wallet and that no transaction shows. The deposit is final at
 * once. It is credited or put in suspense in this transaction; a deposit that needs a rate waits for one.
 * @param told.over the earlier decision that took it back; null: nobody has recorded it
 * @throws Problem
 * - 400 `amount`: the balances prove another amount, or the ledger cannot hold it
 * - 400 `txHash`: an address of ours sent the transaction
 * - 409 `invalid_transition`: the deposit is recorded, was taken back since `over`, or belongs to an operation of ours
 */
export async function recordDeposit(
  services: Deps,
  tx: Tx,
  stated: StatedCoin & { over: string | null },
  { reason, decidedBy }: By,
): Promise<ChainDeposit> {
  await requireWallet(tx, { chain: stated.chain, address: stated.coin.transfer.to }, { lock: 'update' });
  const { opening, before } = await recordable(services.keyring, tx, stated, services.now());
  if (wordOn(before) !== stated.over) throw saidSince();
  const isAgain = before !== undefined && before.transfer.terms.blockHash === opening.terms.blockHash;
  const deposit = isAgain ? before : await openAnew(services, tx, opening, before);
  const { after } = await decide(services, tx, chainDepositKind, {
    id: deposit.transfer.id,
    noun: 'deposit',
    decidedBy,
    report: wordOfPeople,
    judge(locked) {
      if (stands(locked)) throw recorded();
      return [{ kind: SEEN, reason }];
    },
  });
  return after;
}

/** Id of the latest decision of a person. Null when nobody has decided. */
const wordOn = (deposit: ChainDeposit | undefined): string | null =>
  (deposit && lastSaid(deposit)?.id) ?? null;

/** Opens a new deposit under the name. An earlier deposit in a replaced block stays, without the name. */
async function openAnew(
  services: Deps,
  tx: Tx,
  opening: Found<ChainDepositTerms>,
  before: ChainDeposit | undefined,
): Promise<ChainDeposit> {
  const judge = (locked: ChainDeposit) => {
    if (stands(locked) || locked.transfer.partyRef !== opening.partyRef) throw recorded();
  };
  if (before) await freeName(services, tx, chainDepositKind, { id: before.transfer.id, judge });
  const made = await openUnlessKnown(services, tx, chainDepositKind, opening);
  if (!made) throw recorded();
  return made;
}

/**
 * Takes back a deposit that people have recorded, and debits the credit whatever the balance. The caller has asked the
 * nodes.
 * @param given.word the recording decision; after a new recording it is outdated
 * @throws Problem 404; 409 `invalid_transition` when no recording stands, or a newer decision does
 */
export async function takeBackDeposit(
  services: Deps,
  tx: Tx,
  { id, word }: { id: string; word: string | undefined },
  { reason, decidedBy }: By,
): Promise<Decided<ChainDeposit>> {
  return decide(services, tx, chainDepositKind, {
    id,
    noun: 'deposit',
    decidedBy,
    report: wordOfPeople,
    judge(deposit) {
      assertRecorded(deposit);
      if (lastSaid(deposit)?.id !== word) throw saidSince();
      return [{ kind: TAKEN_BACK, reason }];
    },
  });
}

/**
 * Weighs a held credit for approval limits. Read-only.
 * @throws Problem 404; 409 `invalid_transition` when the deposit waits for nobody
 */
export async function weighCredit(sql: Sql, id: string, at: Date) {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  const units = requireHeld(deposit);
  const { terms } = (deposit as ChainDeposit).transfer;
  return { amount: amountOf(terms, { units }), currency: terms.asset, units };
}

/**
 * Approves a held credit.
 * @param given.units units of the request
 * @throws Problem 404; 409 `invalid_transition` when other units wait, or none
 */
export const creditDeposit = (
  services: Deps,
  tx: Tx,
  { id, units }: { id: string; units: string },
  { reason, decidedBy }: By,
): Promise<Decided<ChainDeposit>> =>
  decide(services, tx, chainDepositKind, {
    id,
    noun: 'deposit',
    decidedBy,
    judge: (deposit) => [approvedCredit(deposit, units, reason)],
  });

/**
 * Returns the deposit that would be taken back.
 * @throws Problem as {@link takeBackDeposit}
 */
export async function toTakeBack(sql: Sql, id: string, at: Date): Promise<ChainDeposit> {
  const deposit = await readSituation(sql, chainDepositKind, id, at);
  if (!deposit) throw notFound('deposit');
  assertRecorded(deposit);
  return deposit;
}

function assertRecorded(deposit: ChainDeposit): void {
  if (lastSaid(deposit)?.kind !== SEEN)
    throw conflict('invalid_transition', 'The deposit has no recording that could be taken back.');
}

const recorded = () => conflict('invalid_transition', 'The coin is already recorded.', 'txHash');

const saidSince = () =>
  conflict('invalid_transition', 'The deposit was decided on since this request: ask again.');

async function recordable(
  keyring: Keyring,
  tx: Tx,
  { chain, amount, coin }: StatedCoin,
  at: Date,
): Promise<Recordable> {
  const network = await requireNetwork(tx, chain, { field: 'chain' });
  const { from, txHash, units } = coin.transfer;
  if ((await ownAmong(tx, chain, [from])).has(from))
    throw invalid('txHash must not be a transaction from one of our own addresses.', 'txHash');
  const operation = await operationWith(tx, chain, txHash);
  if (operation !== undefined)
    throw conflict('invalid_transition', `The transaction belongs to the operation ${operation}.`, 'txHash');
  const [opening] = (await openingsOf({ keyring, now: () => at }, tx, network, [coin])) as [
    Found<ChainDepositTerms>,
  ];
  const proven = fromUnits(units, decimalsIn(network, coin.asset));
  if (!proven.eq(amount))
    throw invalid(`amount must be the amount that the balances prove: ${proven.toFixed()}.`, 'amount');
  const services = { database: tx, now: () => at };
  const ofBlock = await findByRefs(services, chainDepositKind, await refsUnshown(tx, opening.terms));
  if (ofBlock.some(stands)) throw recorded();
  const [before] = await findByRefs(services, chainDepositKind, [opening.partyRef]);
  return { opening, before };
}
