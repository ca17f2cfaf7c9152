import { z } from 'zod';
import { type ApiRequest, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import type { Tx } from '../../kernel/db/database';
import { operationKey } from '../../kernel/idempotency';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { amount, currency, identifier } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { requireAccount } from '../accounts/operations';
import { exchange } from './operations';
import { SIDES } from './price';
import { quoteExchange } from './quote';
import { listRates } from './rates';
import {
  exchangeQuoteSchema,
  exchangeQuoteView,
  exchangeSchema,
  exchangeView,
  rateSchema,
  rateView,
} from './view';

/** Routes of exchanges between accounts and of their rates (`interface.md 4.1`, Accounts and Exchange). */
export const accountExchangeRoutes = (services: Services): Route[] => [
  quoteRoute(services),
  exchangeRoute(services),
  ratesRoute(services),
];

const tag = 'Accounts';
const guarded = { capability: 'exchange', party: 'rates' } as const;

/** The account in the path. @throws Problem 404 */
const accountIn = (tx: Tx, { params, caller }: Pick<ApiRequest, 'params' | 'caller'>) =>
  requireAccount(tx, caller.reach, params['accountId'] ?? '');

function quoteRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/exchange-quote',
    scope: 'money',
    tag,
    ...guarded,
    summary: 'Price an exchange between two accounts',
    description:
      'Quotes an exchange to another account of yours or of your users, in another currency. For the side `sell` (the default) the ' +
      'amount leaves this account, fee included, and `buyAmount` is rounded down. For `buy` the other account receives the amount, ' +
      'and `sellAmount` is rounded up. The price is valid for thirty seconds and can be taken once.',
    body: z.strictObject({
      toAccountId: identifier('acc_01h455vb4pex5vsknk084sn02r'),
      amount: amount(),
      side: z.enum(SIDES).default('sell'),
    }),
    response: exchangeQuoteSchema,
    status: 201,
    problems: ['unavailable'],
    prepare: () => services.parties.rates.ready(),
    async write(tx, request) {
      const account = await accountIn(tx, request);
      return exchangeQuoteView(await quoteExchange(services, tx, account, request.body));
    },
  });
}

function exchangeRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/exchanges',
    scope: 'money',
    tag,
    ...guarded,
    summary: 'Exchange between two accounts',
    description:
      'Takes a quote of this account. The whole exchange happens at once, or nothing. The account transactions (`exchange_out`, ' +
      '`exchange_fee` unless it is zero, `exchange_in`) have its id as `referenceId`. A refusal with 409 leaves the quote ' +
      'unused, so it can be taken with another idempotency key while it is valid.',
    body: z.strictObject({ quoteId: identifier('quo_01jz0000000000000000000000') }),
    response: exchangeSchema,
    status: 201,
    idempotency: 'required',
    problems: ['quote_used', 'quote_expired', 'account_closed', 'user_blocked', 'insufficient_funds'],
    async write(tx, request) {
      const account = await accountIn(tx, request);
      const key = operationKey(request);
      const done = await exchange(tx, account, request.body.quoteId, key, services.now());
      const { transactions: _, ...after } = exchangeView(done);
      const { tenantId } = account;
      await auditAdmin(tx, { ...request, action: 'accounts.exchange', subject: after.id, tenantId, after });
      return exchangeView(done);
    },
  });
}

function ratesRoute({ parties }: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/exchange/rates',
    tag: 'Exchange',
    ...guarded,
    summary: 'Exchange rates',
    description:
      'Lists rates. With both currencies: the pair. With `from` or `to` alone: every pair with it on that side. With neither: every ' +
      'currency against the base currency. The list is one page, ordered by `from` and `to`. A currency without a quoted rate has ' +
      'no row. Your spread is not included; a quote shows it.',
    query: z.object({
      from: currency().optional().describe('Currency that is sold.'),
      to: currency().optional().describe('Currency that is bought.'),
    }),
    response: pageSchema(rateSchema),
    problems: ['unavailable'],
    async read({ query }) {
      await parties.rates.ready();
      return whole(listRates(parties.rates.snapshot(), query).map(rateView));
    },
  });
}
