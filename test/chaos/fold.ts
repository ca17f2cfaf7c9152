import { ACCOUNT_EFFECTS, CARD_EFFECTS, type Effect } from '../../src/kernel/ledger/effects';
import { Decimal } from '../../src/kernel/money/money';
import type { Received } from '../support/outside/receiver';

/** Sums, as decimal numbers. */
export interface Fold {
  available: Decimal;
  pending: Decimal;
  spent: Decimal;
}

/** Folds events by the tables of `interface.md 3.4`, for each card and account that they name. */
export function foldOf(events: Received['body'][]): Map<string, Fold> {
  const folds = new Map<string, Fold>();
  for (const { event, data } of events) {
    if (event !== 'card_transaction' && event !== 'account_transaction') continue;
    const [id, effect] =
      event === 'card_transaction'
        ? [data['cardId'], (CARD_EFFECTS as Record<string, Effect>)[data['type']]]
        : [
            data['accountId'],
            (ACCOUNT_EFFECTS as Record<string, Effect>)[`${data['type']}/${data['subtype']}`],
          ];
    if (!effect) throw new Error(`an event without an effect: ${JSON.stringify(data)}`);
    const amount = new Decimal(data['billingAmount'] ?? data['amount'] ?? 0);
    const zero = new Decimal(0);
    const { available, pending, spent } = folds.get(id) ?? { available: zero, pending: zero, spent: zero };
    folds.set(id, {
      available: available.plus(amount.times(effect.available)),
      pending: pending.plus(amount.times(effect.pending)),
      spent: spent.plus(amount.times(effect.spent)),
    });
  }
  return folds;
}
