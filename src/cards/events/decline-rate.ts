import type { Sql } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import { Decimal, ZERO } from '../../kernel/money/money';
import { requireCard } from '../cards/operations';
import { countCardTransactions } from './transaction-store';

const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Computes how often a card was declined in a period. Without a beginning: the 30 days before its end.
 * @throws Problem 404, 400 when the period ends before it begins
 */
export async function readDeclineRate(
  sql: Sql,
  reach: string | null,
  id: string,
  period: { from?: Date | undefined; to?: Date | undefined },
  now: Date,
) {
  const card = await requireCard(sql, reach, id);
  const to = period.to ?? now;
  const from = period.from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS);
  if (from > to) throw invalid('from must not be later than to.', 'from');
  const [authorizations, declines] = await Promise.all([
    countCardTransactions(sql, card.id, 'authorization', from, to),
    countCardTransactions(sql, card.id, 'decline', from, to),
  ]);
  return {
    cardId: card.id,
    from: from.toISOString(),
    to: to.toISOString(),
    authorizations,
    declines,
    rate: declineRate(authorizations, declines),
  };
}

/** Decimals of a decline rate. */
const RATE_DECIMALS = 4;

/** Declines as a share of all requests, from "0.0000" to "1.0000"; zero when there were none. */
function declineRate(authorizations: number, declines: number): string {
  const asked = authorizations + declines;
  const rate = asked === 0 ? ZERO : new Decimal(declines).dividedBy(asked);
  return rate.toFixed(RATE_DECIMALS);
}
