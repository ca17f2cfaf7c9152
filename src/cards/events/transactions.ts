import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { findChain } from './board-store';
import { type Chain, type Counters, remaining } from './record';
import { eventsOfChain, findCardTransaction } from './transaction-store';
import { showCardTransaction } from './view';

/** A card transaction with the counters of its authorization and the whole chain. @throws Problem 404 */
export async function showWithChain(sql: Sql, reach: string | null, id: string) {
  const transaction = await findCardTransaction(sql, reach, id);
  if (!transaction) throw notFound('transaction');
  const shown = showCardTransaction(transaction);
  if (!transaction.authorizationId) return shown;
  const [chain, events] = await Promise.all([
    findChain(sql, transaction.authorizationId),
    eventsOfChain(sql, transaction.authorizationId),
  ]);
  return {
    ...shown,
    authorization: chain && showAuthorization(chain),
    chain: events.map(showCardTransaction),
  };
}

function showAuthorization(chain: Chain) {
  return {
    id: chain.id,
    referenceId: chain.referenceId,
    currency: chain.currency,
    billingCurrency: chain.billingCurrency,
    rate: chain.rate.toFixed(),
    expiresAt: chain.expiresAt.toISOString(),
    ...showCounters(chain.own, chain.currency),
    billing: showCounters(chain.billing, chain.billingCurrency),
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
