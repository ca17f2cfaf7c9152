import { Decimal } from '../../../src/kernel/money/money';
import { groupBy, type Records, type TransactionRow } from './records';
import type { CardState, Complain } from './rules';

/**
 * A second implementation of the buffer rules (decisions part 4, Buffered cards). A card's buffer is the sum of its
 * fundings and of what releases returned, less the draws for forced events and the return at the closure.
 */

const ZERO = new Decimal(0);
const least = (a: Decimal, b: Decimal): Decimal => (a.lt(b) ? a : b);

/** @returns by event, the amount that its operation has set aside */
export function depositsOf({ operations, transactions }: Records): Map<string, Decimal> {
  const types = new Map(transactions.map(({ id, type, source }) => [id, `${type} ${source ?? ''}`]));
  const fundings = operations.filter(({ type }) => type === 'issue' || type === 'topup');
  return new Map(
    fundings.flatMap(({ type, buffer, result }) =>
      (result?.cardTransactionIds ?? [])
        .filter((id) => types.get(id) === `${type} `)
        .map((id) => [id, buffer] as const),
    ),
  );
}

/** Checks the effect of an event on the buffer, and applies it to the state. @param next the following event */
export function moveBuffer(
  state: CardState,
  event: TransactionRow,
  next: TransactionRow | undefined,
  wrong: Complain,
): void {
  const { id, type, source, reference_id: reference, forced } = event;
  returned(state, event, wrong);
  if (type === 'topup' && source === 'buffer') draw(state, event, next, wrong);
  const isForced = type === 'authorization' && forced && event.billing_amount.gt(0);
  if (isForced && state.drawnFor !== id && state.buffer.gt(0))
    wrong(`draws nothing from the buffer of ${state.buffer.toFixed()}`);
  if (type === 'issue' || (type === 'topup' && source === null))
    move(state, reference, state.deposits.get(id) ?? ZERO);
  if (type === 'close') move(state, reference, state.buffer.negated());
}

/** Checks a draw: the exact amount for the next forced authorization, or for the card's debt. */
function draw(
  state: CardState,
  event: TransactionRow,
  next: TransactionRow | undefined,
  wrong: Complain,
): void {
  const owes = state.available.lt(0);
  const isNext = next?.type === 'authorization' && next.forced && next.at.getTime() === event.at.getTime();
  if (!owes && !isNext) wrong('draws from the buffer for nothing');
  const needed = least(owes ? state.available.negated() : (next?.billing_amount ?? ZERO), state.buffer);
  if (!event.billing_amount.eq(needed) || !event.amount.eq(needed)) wrong(`should draw ${needed.toFixed()}`);
  if (needed.isZero()) wrong('draws from an empty buffer');
  if (event.forced || !event.fee.isZero()) wrong('is more than a draw from the buffer');
  if (!owes) {
    state.drawnFor = next?.id ?? null;
    state.drawnAmount = event.billing_amount;
  }
  move(state, event.reference_id, event.billing_amount.negated());
}

/**
 * Checks a return to the buffer. After a release, the next event returns what the chain has drawn, up to the card's
 * balance. A card that has ended returns nothing.
 */
function returned(state: CardState, event: TransactionRow, wrong: Complain): void {
  const { type, source, billing_amount: amount, linked_id: linked } = event;
  const { due } = state;
  state.due = null;
  const isReturn = type === 'withdraw' && source === 'buffer';
  if (isReturn !== (due !== null))
    wrong(due ? `comes where ${due.amount.toFixed()} goes back to the buffer` : 'goes to the buffer unasked');
  if (isReturn && due) {
    if (!amount.eq(due.amount) || linked !== due.cancel) wrong(`should return ${due.amount.toFixed()}`);
    due.chain.drawn = due.chain.drawn.minus(amount);
    move(state, event.reference_id, amount);
  }
  const chain = type === 'cancel' ? state.chains.get(event.authorization_id ?? '') : undefined;
  if (!chain || state.status === 'closed' || state.card.status === 'failed') return;
  const back = least(least(amount, chain.drawn), event.available);
  if (back.gt(0)) state.due = { amount: back, chain, cancel: event.id };
}

function move(state: CardState, reference: string, amount: Decimal): void {
  if (amount.isZero()) return;
  state.buffer = state.buffer.plus(amount);
  state.moved.set(reference, amount);
}

/**
 * Checks that each buffer account has exactly the entries that the card's events require, and that it belongs to a
 * card.
 */
export function auditBuffers(records: Records, states: CardState[]): string[] {
  const accounts = new Map(
    records.accounts.filter(({ kind }) => kind === 'card_buffer').map((account) => [account.id, account]),
  );
  const entries = groupBy(records.entries, ({ account_id }) => account_id);
  const wrong = states.flatMap(({ card, buffer, moved }) => {
    const id = card.buffer_account_id ?? '';
    const account = accounts.get(id);
    accounts.delete(id);
    const booked = (entries.get(id) ?? []).map(
      (entry) => `${entry.reference_id} ${entry.available.toFixed()}`,
    );
    const expected = [...moved].map(([reference, amount]) => `${reference} ${amount.toFixed()}`);
    const has = account ? account.available.plus(account.pending) : ZERO;
    return [
      !has.eq(buffer) && `has set aside ${has.toFixed()}, by its events ${buffer.toFixed()}`,
      booked.join() !== expected.join() && `moved its buffer by [${booked.join()}], not [${expected.join()}]`,
    ].flatMap((what) => (what === false ? [] : [`card ${card.id} ${what}`]));
  });
  return [...wrong, ...[...accounts.keys()].map((id) => `buffer ${id} belongs to no card`)];
}
