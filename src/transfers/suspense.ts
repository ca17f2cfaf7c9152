import { assertAccountOpen, requireAccount } from '../accounts/accounts/operations';
import type { Sql, Tx } from '../kernel/db/database';
import type { WaitingFilter } from '../kernel/db/waiting';
import { conflict, invalid, notFound } from '../kernel/errors';
import { isId } from '../kernel/ids';
import { readBalances } from '../kernel/ledger/accounts';
import { byCurrency, type Decimal, formatAmount, maxOf, ZERO } from '../kernel/money/money';
import { assertFits } from '../kernel/wire/schemas';
import type { Services } from '../services';
import { positionOf } from './engine/books/closed-accounts';
import { type DoorKind, decisionOf } from './engine/books/doors';
import type { Money } from './engine/books/inflow';
import { effective } from './engine/conclusion';
import { type Decided, decide } from './engine/decide';
import type { AnyKind } from './engine/kind';
import { readSituation, type SuspenseItem, suspenseItems } from './engine/read';
import { type Decision, moneyOf, type Situation } from './engine/record';
import { requireKind } from './kinds';

export { countSuspense, type SuspenseItem } from './engine/read';

/** Money of transfers that is nobody's yet, the oldest first (decisions part 2, Suspense is a room with doors). */
export const listSuspense = (sql: Sql, filter: WaitingFilter): Promise<SuspenseItem[]> =>
  suspenseItems(sql, filter);

/** What of a transfer stands in suspense, by currency. @throws Problem 404 */
export async function suspenseOf(sql: Sql, transferId: string): Promise<SuspenseItem[]> {
  await requireKind(sql, transferId);
  return suspenseItems(sql, { transferId, limit: 100 });
}

export interface UseDoor {
  transferId: string;
  door: DoorKind;
  /** All that is left when absent; never more. */
  amount?: Decimal | undefined;
  /** Where it has more than one. */
  currency?: string | undefined;
  /** For `credit` and `recover`. */
  accountId?: string | undefined;
  reason: string;
  decidedBy: string;
}

/**
 * Lets a fixed amount out of suspense: to the payer by the party, to its owner's account, to losses; or takes what suspense
 * is short of from an account. It holds against whatever the party says later. Whether it takes two operators is its
 * caller's to ask (src/operator/approvals/kinds.ts).
 * @throws Problem 404; 400 naming the field; 409 `invalid_transition` for a door that this has not, `limit_exceeded`,
 *   `insufficient_funds`, `account_closed`
 */
export async function useDoor(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  given: UseDoor,
): Promise<Decided> {
  const { transferId: id, decidedBy } = given;
  const kind = await kindWithDoor(tx, given);
  return decide(services, tx, kind, {
    ...{ id, noun: 'transfer', decidedBy, asked: { field: 'amount' } },
    judge: async (situation) => [await throughDoor(tx, leftOf(kind, situation), given)],
  });
}

/**
 * What would leave by that door, by the rules of now; nothing is done.
 * @throws Problem as {@link useDoor}
 */
export async function weighDoor(
  tx: Tx,
  given: Omit<UseDoor, 'decidedBy'>,
  at: Date,
): Promise<Money & { tenantId: string | null }> {
  const kind = await kindWithDoor(tx, given);
  const found = await readSituation(tx, kind, given.transferId, at);
  if (!found) throw notFound('transfer');
  const { amount, currency } = moneyOf(await throughDoor(tx, leftOf(kind, effective(kind, found)), given));
  return { amount: amount.abs(), currency, tenantId: found.transfer.tenantId };
}

async function kindWithDoor(tx: Tx, { transferId, door }: Pick<UseDoor, 'transferId' | 'door'>) {
  const kind = await requireKind(tx, transferId);
  if (!kind.doors.includes(door))
    throw conflict('invalid_transition', `What a ${kind.name} has in suspense cannot be left by ${door}.`);
  return kind;
}

/**
 * The amounts in suspense, by currency, that are promised to nobody. A negative amount counts as zero while a refund that we
 * asked for is undecided.
 */
export function leftOf(kind: AnyKind, situation: Situation): Map<string, Decimal> {
  const suspense = positionOf(kind, situation).filter(({ component }) => component === 'suspense');
  const left = new Map(byCurrency(suspense).map(({ currency, amount }) => [currency, amount]));
  for (const { currency, amount } of kind.pledged?.(situation) ?? []) {
    const has = left.get(currency);
    // What is promised of money that has not settled is not there to be short of.
    if (has?.gt(0)) left.set(currency, maxOf(ZERO, has.minus(amount)));
  }
  for (const { currency } of kind.asked?.(situation) ?? [])
    if (left.get(currency)?.lt(0)) left.set(currency, ZERO);
  return left;
}

async function throughDoor(
  tx: Tx,
  left: Map<string, Decimal>,
  given: Omit<UseDoor, 'decidedBy'>,
): Promise<Pick<Decision, 'kind' | 'amount' | 'currency' | 'accountId' | 'reason'>> {
  const { door, reason } = given;
  const { currency, has } = itemOf(left, given.currency);
  const amount = given.amount ?? has.abs();
  assertFits(amount, currency);
  if (!amount.gt(0)) throw invalid('amount must be greater than zero.', 'amount');
  if (amount.gt(has.abs()))
    throw conflict(
      'limit_exceeded',
      `At most ${formatAmount(has.abs(), currency)} ${currency} is left.`,
      'amount',
    );
  const claims = has.lt(0);
  if (door !== 'write_off' && claims !== (door === 'recover'))
    throw conflict(
      'invalid_transition',
      claims ? 'It is ours to claim: recover it or write it off.' : 'It is not below zero.',
    );
  const accountId = door === 'credit' || door === 'recover' ? await accountFor(tx, given, currency) : null;
  return { kind: decisionOf(door), amount: claims ? amount.negated() : amount, currency, accountId, reason };
}

function itemOf(left: Map<string, Decimal>, wanted: string | undefined) {
  const items = [...left].filter(
    ([currency, amount]) => !amount.isZero() && (wanted ?? currency) === currency,
  );
  const [item, other] = items;
  if (!item)
    throw conflict(
      'invalid_transition',
      'Nothing of it stands in suspense that is neither promised nor waits for a refund to be decided.',
    );
  if (other) throw invalid('It has more than one currency in suspense.', 'currency');
  return { currency: item[0], has: item[1] };
}

/** The open account that money of a currency leaves suspense to. @throws Problem 404, 400 naming `account`; 409 `account_closed` */
export async function accountFor(
  tx: Tx,
  { accountId }: Pick<UseDoor, 'accountId'>,
  currency: string,
): Promise<string> {
  if (accountId === undefined) throw invalid('It takes an account.', 'account');
  const account = (await readBalances(tx, [accountId])).get(accountId);
  // Cards and what is set aside of them are moved by card events alone.
  if (!account || account.kind === 'card' || account.kind === 'card_buffer') throw notFound('account');
  if (account.currency !== currency) throw invalid(`The account is not in ${currency}.`, 'account');
  // A virtual IBAN is no account of these, and is never closed.
  if (isId('account', accountId))
    await assertAccountOpen(tx, await requireAccount(tx, null, accountId), 'account');
  return accountId;
}
