import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { readAuthorizations } from './authorization-store';
import { type Authorization, type Counters, remaining } from './record';
import { eventsOfAuthorization, findCardTransaction } from './transaction-store';
import { showCardTransaction } from './view';

/** A card transaction with the counters of its authorization and the whole chain. @throws Problem 404 */
export async function showWithChain(sql: Sql, reach: string | null, id: string) {
  const transaction = await findCardTransaction(sql, reach, id);
  if (!transaction) throw notFound('transaction');
  const shown = showCardTransaction(transaction);
  const { authorizationId, cardId } = transaction;
  if (!authorizationId) return shown;
  const [[found], events] = await Promise.all([
    readAuthorizations(sql, [cardId], [], [authorizationId]),
    eventsOfAuthorization(sql, authorizationId),
  ]);
  return {
    ...shown,
    authorization: found && showAuthorization(found.authorization),
    chain: events.map(showCardTransaction),
  };
}

function showAuthorization(authorization: Authorization) {
  return {
    id: authorization.id,
    referenceId: authorization.referenceId,
    currency: authorization.currency,
    billingCurrency: authorization.billingCurrency,
    rate: authorization.rate.toFixed(),
    expiresAt: authorization.expiresAt.toISOString(),
    ...showCounters(authorization.own, authorization.currency),
    billing: showCounters(authorization.billing, authorization.billingCurrency),
  };
}

function showCounters(counters: Counters, currency: string) {
  const show = (amount: Decimal) => formatAmount(amount, currency);
  return {
    authorized: show(counters.authorized),
    settled: show(counters.settled),
    reversed: show(counters.reversed),
    refunded: show(counters.refunded),
    remaining: show(remaining(counters)),
  };
}
