import { Decimal } from '../../../src/kernel/money/money';
import { groupBy, type Records, type TransactionRow } from './records';

/**
 * Checks that the counted spending of limited cards and users is, day by day, the sum of their events. Without limits
 * nothing is counted. The check is written differently from the product: it cuts releases off the end of a chain's
 * daily amounts.
 */
export function auditSpending(records: Records): string[] {
  const limits = new Set(records.limits.filter(({ per_day }) => per_day).map(({ subject_id }) => subject_id));
  const month = monthOf(records);
  const events = groupBy(records.transactions, ({ card_id }) => card_id);
  const expected = new Map<string, Decimal>();
  const wrong: string[] = [];
  for (const { id, user_id, currency, limited } of records.cards) {
    if (limited !== (limits.has(id) || limits.has(user_id)))
      wrong.push(`card ${id} is ${limited ? '' : 'not '}limited`);
    for (const { day, amount } of spentOn(events.get(id) ?? [])) {
      if (day < month) continue;
      for (const subject of [limited && id, limits.has(user_id) && user_id]) {
        const name = `${subject} ${currency} ${day}`;
        if (subject) expected.set(name, amount.plus(expected.get(name) ?? 0));
      }
    }
  }
  for (const { subject_id, currency, day, amount } of records.spending) {
    const name = `${subject_id} ${currency} ${day}`;
    const should = expected.get(name) ?? new Decimal(0);
    expected.delete(name);
    if (!amount.eq(should)) wrong.push(`${name} counts ${amount.toFixed()}, its events ${should.toFixed()}`);
  }
  const missing = [...expected].filter(([, amount]) => amount.gt(0));
  return [...wrong, ...missing.map(([name, amount]) => `${name} counts nothing of ${amount.toFixed()}`)];
}

/** The first counted month. Counting begins with the month in which limits were set, and a world lasts only minutes. */
const monthOf = ({ transactions }: Records): string =>
  `${transactions
    .reduce((last, { at }) => (at > last ? at : last), new Date(0))
    .toISOString()
    .slice(0, 7)}-01`;

function spentOn(events: TransactionRow[]): { day: string; amount: Decimal }[] {
  const chains = new Map<string, { day: string; amount: Decimal }[]>();
  for (const { authorization_id: id, type, at, billing_amount: amount } of events) {
    const chain = chains.get(id ?? '') ?? [];
    if (type === 'authorization') chain.push({ day: at.toISOString().slice(0, 10), amount });
    if (type === 'cancel') cut(chain, amount);
    chains.set(id ?? '', chain);
  }
  return [...chains.values()].flat();
}

function cut(chain: { amount: Decimal }[], amount: Decimal): void {
  let open = amount;
  for (const part of [...chain].reverse()) {
    const taken = Decimal.min(part.amount, open);
    part.amount = part.amount.minus(taken);
    open = open.minus(taken);
  }
}
