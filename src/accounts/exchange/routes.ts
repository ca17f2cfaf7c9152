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
import { ratesListed } from './rates';
import {
  exchangeQuoteSchema,
  exchangeQuoteView,
  exchangeSchema,
  exchangeView,
  rateSchema,
  rateView,
} from './view';

/** Exchanges between accounts, and the rates that they go by (`interface.md 4.1`, Accounts and Exchange). */
export const accountExchangeRoutes = (services: Services): Route[] => [
  quoteRoute(services),
  exchangeRoute(services),
  ratesRoute(services),
];

const tag = 'Accounts';
const guarded = { capability: 'exchange', party: 'rates' } as const;

/** The account of the path. @throws Problem 404 */
const accountIn = (tx: Tx, { params, caller }: Pick<ApiRequest, 'params' | 'caller'>) =>
  requireAccount(tx, caller.reach, params['accountId'] ?? '');

function quoteRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/exchange-quote',
    tag,
    ...guarded,
    summary: 'Price an exchange between two accounts',
    description:
      'Of the side `sell` (when nothing is said) the amount is what leaves this account, fee included, and buyAmount is rounded ' +
      'down; of `buy` it is what the other account receives, and sellAmount is rounded up. The price stands for thirty seconds ' +
      'and can be taken once. The other account is yours or one of your users’, in another currency.',
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
    tag,
    ...guarded,
    summary: 'Exchange between two accounts',
    description:
      'Takes a quote of this account: all of it happens at once, or nothing. Its account transactions (`exchange_out`, ' +
      '`exchange_fee` where there is a fee, `exchange_in`) carry its id as `referenceId`. A refusal with 409 leaves the quote ' +
      'as it was: it can be taken with another idempotency key while it stands.',
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
      'Of both currencies the one pair; of `from` or `to` alone every pair with it on that side; of neither every currency ' +
      'against the one that all rates are quoted in. It comes whole, by `from` and `to`; a currency that nobody quotes has no ' +
      'row. Your spread is not in it: a quote shows it.',
    query: z.object({ from: currency().optional(), to: currency().optional() }),
    response: pageSchema(rateSchema),
    problems: ['unavailable'],
    async read({ query }) {
      await parties.rates.ready();
      return whole(ratesListed(parties.rates.snapshot(), query).map(rateView));
    },
  });
}
