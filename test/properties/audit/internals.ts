import { Decimal } from '../../../src/kernel/money/money';
import { groupBy, type Records } from './records';

/**
 * Checks each posting's internal accounts: settlements and refunds go against the card network, fees against `fees`. A
 * sum check alone would not find the two exchanged.
 */
export function auditInternals(records: Records): string[] {
  const cards = new Set(records.cards.map(({ id }) => id));
  const booked = groupBy(records.internals, ({ posting_id }) => posting_id);
  return [...groupBy(records.entries, ({ posting_id }) => posting_id)].flatMap(([posting, entries]) => {
    const onCards = entries.filter(({ account_id }) => cards.has(account_id));
    const expected = {
      card_network: taken(onCards.filter(({ type }) => type === 'settle' || type === 'refund')),
      fees: taken(entries.filter(({ type, account_id }) => type === 'fee' && !cards.has(account_id))),
    };
    return Object.entries(expected).flatMap(([name, amount]) => {
      const rows = (booked.get(posting) ?? []).filter(({ account_id }) => account_id.startsWith(`${name}:`));
      const has = rows.reduce((sum, { available }) => sum.plus(available), new Decimal(0));
      return has.eq(amount)
        ? []
        : [`posting ${posting} puts ${has.toFixed()} on ${name}, not ${amount.toFixed()}`];
    });
  });
}

/** The total that the entries take from their accounts. */
const taken = (entries: Records['entries']): Decimal =>
  entries.reduce((sum, { available, pending }) => sum.minus(available).minus(pending), new Decimal(0));
