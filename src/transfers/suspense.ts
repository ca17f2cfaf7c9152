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
import type { Money } from './engine/books/inflow';
import { decisionOf, type ResolutionKind } from './engine/books/resolutions';
import { effective } from './engine/conclusion';
import { type Decided, decide } from './engine/decide';
import type { AnyKind } from './engine/kind';
import { readSituation, type SuspenseItem, suspenseItems } from './engine/read';
import { type Decision, moneyOf, type Situation } from './engine/record';
import { requireKind } from './kinds';

export { countSuspense, type SuspenseItem } from './engine/read';

/** Lists money of transfers in suspense, oldest first (decisions part 2, Suspense is a room with doors). */
export const listSuspense = (sql: Sql, filter: WaitingFilter): Promise<SuspenseItem[]> =>
  suspenseItems(sql, filter);

/** Lists the money of a transfer in suspense, by currency. @throws Problem 404 */
export async function suspenseOf(sql: Sql, transferId: string): Promise<SuspenseItem[]> {
  await requireKind(sql, transferId);
  return suspenseItems(sql, { transferId, limit: 100 });
}

export interface Resolve {
  transferId: string;
  resolution: ResolutionKind;
  /** Absent: all that is left. */
  amount?: Decimal | undefined;
  /** Required where several currencies are in suspense. */
  currency?: string | undefined;
  /** Required for `credit` and `recover`. */
  accountId?: string | undefined;
  reason: string;
  decidedBy: string;
}

/**
 * Takes a fixed amount out of suspense: to the payer by the party, to an account, or to losses. `recover` takes from
 * an account to cover suspense below zero. Later words of the party do not change the amount. The caller checks
 * approval (src/desk/decide.ts).
 * @throws Problem 404; 400 naming the field; 409 `invalid_transition` for a resolution that the kind does not have,
 * `limit_exceeded`, `insufficient_funds`, `account_closed`
 */
export async function resolveSuspense(
  services: Pick<Services, 'commands' | 'now'>,
  tx: Tx,
  given: Resolve,
): Promise<Decided> {
  const { transferId: id, decidedBy } = given;
  const kind = await kindWithResolution(tx, given);
  return decide(services, tx, kind, {
    id,
    noun: 'transfer',
    decidedBy,
    asked: { field: 'amount' },
    judge: async (situation) => [await resolved(tx, leftOf(kind, situation), given)],
  });
}

/** Previews {@link resolveSuspense} by the present rules. Changes nothing. @throws Problem as {@link resolveSuspense} */
export async function weighResolution(
  tx: Tx,
  given: Omit<Resolve, 'decidedBy'>,
  at: Date,
): Promise<Money & { tenantId: string | null }> {
  const kind = await kindWithResolution(tx, given);
  const found = await readSituation(tx, kind, given.transferId, at);
  if (!found) throw notFound('transfer');
  const { amount, currency } = moneyOf(await resolved(tx, leftOf(kind, effective(kind, found)), given));
  return { amount: amount.abs(), currency, tenantId: found.transfer.tenantId };
}

async function kindWithResolution(
  tx: Tx,
  { transferId, resolution }: Pick<Resolve, 'transferId' | 'resolution'>,
) {
  const kind = await requireKind(tx, transferId);
  if (!kind.resolutions.includes(resolution))
    throw conflict('invalid_transition', `${resolution} is not allowed for suspense of a ${kind.name}.`);
  return kind;
}

/**
 * Amounts in suspense that no refund and no credit needs, by currency. A negative amount counts as zero while a
 * refund that we ordered is undecided.
 */
export function leftOf(kind: AnyKind, situation: Situation): Map<string, Decimal> {
  const suspense = positionOf(kind, situation).filter(({ component }) => component === 'suspense');
  const left = new Map(byCurrency(suspense).map(({ currency, amount }) => [currency, amount]));
  for (const { currency, amount } of kind.pledged?.(situation) ?? []) {
    const has = left.get(currency);
    // A pledge can exceed the money in suspense while payments are unsettled. Such a pledge leaves zero, and no debt.
    if (has?.gt(0)) left.set(currency, maxOf(ZERO, has.minus(amount)));
  }
  for (const { currency } of kind.asked?.(situation) ?? [])
    if (left.get(currency)?.lt(0)) left.set(currency, ZERO);
  return left;
}

async function resolved(
  tx: Tx,
  left: Map<string, Decimal>,
  given: Omit<Resolve, 'decidedBy'>,
): Promise<Pick<Decision, 'kind' | 'amount' | 'currency' | 'accountId' | 'reason'>> {
  const { resolution, reason } = given;
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
  if (resolution !== 'write_off' && claims !== (resolution === 'recover'))
    throw conflict(
      'invalid_transition',
      claims ? 'Suspense is below zero: recover it or write it off.' : 'Suspense is not below zero.',
    );
  const accountId =
    resolution === 'credit' || resolution === 'recover' ? await accountFor(tx, given, currency) : null;
  return {
    kind: decisionOf(resolution),
    amount: claims ? amount.negated() : amount,
    currency,
    accountId,
    reason,
  };
}

function itemOf(left: Map<string, Decimal>, wanted: string | undefined) {
  const items = [...left].filter(
    ([currency, amount]) => !amount.isZero() && (wanted ?? currency) === currency,
  );
  const [item, other] = items;
  if (!item)
    throw conflict(
      'invalid_transition',
      'The transfer has no money in suspense that is free: refunds under way and approved credits keep theirs.',
    );
  if (other) throw invalid('currency is required: several currencies are in suspense.', 'currency');
  return { currency: item[0], has: item[1] };
}

/**
 * The open account for money of a currency that leaves suspense.
 * @throws Problem 404, 400 naming `account`; 409 `account_closed`
 */
export async function accountFor(
  tx: Tx,
  { accountId }: Pick<Resolve, 'accountId'>,
  currency: string,
): Promise<string> {
  if (accountId === undefined) throw invalid('account is required.', 'account');
  const account = (await readBalances(tx, [accountId])).get(accountId);
  // Only card events may move the money of cards and of card buffers.
  if (!account || account.kind === 'card' || account.kind === 'card_buffer') throw notFound('account');
  if (account.currency !== currency) throw invalid(`account must be an account in ${currency}.`, 'account');
  // A virtual IBAN has no account record, and is never closed.
  if (isId('account', accountId))
    await assertAccountOpen(tx, await requireAccount(tx, null, accountId), 'account');
  return accountId;
}
