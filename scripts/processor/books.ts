import type { Step } from './scenarios';

/** Minor units. */
export interface Balances {
  available: number;
  pending: number;
  spent: number;
}

/** A step and its result. An authorization may have been declined. */
export type Done = Step & { approved: boolean };

/**
 * Returns the totals of a transaction by the network's knowledge: its messages in the order of sending, whatever their
 * order of arrival.
 */
export function booked(done: readonly Done[]): Pick<Balances, 'pending' | 'spent'> {
  let [pending, spent] = [0, 0];
  for (const { type, minor, final, approved } of [...done].sort((one, other) => one.sent - other.sent)) {
    if (!approved) continue;
    if (type === 'authorization' || type === 'advice') pending += minor;
    if (type === 'clearing' || type === 'reversal') pending -= Math.min(minor, pending);
    if (type === 'clearing') spent += minor;
    if (type === 'refund') spent -= minor;
    if (final) pending = 0;
  }
  return { pending, spent };
}

/** Returns the balances of a card after all of its transactions. */
export function balancesOf(funded: number, transactions: readonly (readonly Done[])[]): Balances {
  const total = { available: funded, pending: 0, spent: 0 };
  for (const { pending, spent } of transactions.map(booked)) {
    total.pending += pending;
    total.spent += spent;
    total.available -= pending + spent;
  }
  return total;
}

export const shown = ({ available, pending, spent }: Balances): string =>
  [available, pending, spent].map((minor) => (minor / 100).toFixed(2)).join(' ');
