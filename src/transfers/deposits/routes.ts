import { z } from 'zod';
import { assertFundable } from '../../accounts/accounts/internal-transfer';
import { requireAccount } from '../../accounts/accounts/operations';
import { type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { operationKey } from '../../kernel/idempotency';
import { Decimal, formatAmount, formatAmounts } from '../../kernel/money/money';
import { idPage, pageById } from '../../kernel/wire/id-pages';
import { pageQuery, pageSchema, whole } from '../../kernel/wire/pages';
import { amount, currency, identifier, instant, money, text } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { webUrl } from '../../kernel/wire/web-url';
import type { Quote } from '../../process/quotes/operations';
import type { Services } from '../../services';
import { createDeposit, listDeposits, requireDeposit } from './create';
import { revealToken, unrevealedUrl } from './page/token';
import { fundingOptions, priceDeposit, quoteDeposit, termsOf } from './quotes/quote';
import { DEPOSIT_STATUSES } from './record';
import { DEPOSIT_METHODS, type FundingTerms } from './settings';
import { depositSchema, depositView, payableDepositView } from './view';

const tag = 'Deposits';

/** Deposits through hosted checkout (`interface.md 4.1`, Deposits; decisions part 4). */
export function depositRoutes(services: Services): Route[] {
  return [
    quoteRoute(services),
    listRoute(services),
    createRoute(services),
    readRoute(services),
    optionsRoute(services),
  ];
}

const method = z.enum(DEPOSIT_METHODS);

function optionsRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/funding-options',
    tag,
    capability: 'deposit',
    summary: 'Funding options of an account',
    description:
      '`min`, `max` and `feeFixed` are in `currency`, the payer’s currency. `feePercent` "2.9" is 2.9 %.',
    response: pageSchema(
      z
        .object({
          method,
          currency: z.string(),
          min: money(),
          max: money(),
          feeFixed: money(),
          feePercent: z.string().meta({ examples: ['2.9'] }),
          estimatedTime: z.string().meta({ description: 'An ISO 8601 duration.', examples: ['PT5M'] }),
        })
        .meta({ id: 'FundingOption' }),
    ),
    async read({ caller, params }) {
      const account = await requireAccount(database, caller.reach, params['accountId'] ?? '');
      return whole((await fundingOptions(database, account)).map(optionView));
    },
  });
}

function optionView(terms: FundingTerms) {
  const text = (value: string) => formatAmount(new Decimal(value), terms.currency);
  const { min, max, feeFixed } = terms;
  return { ...terms, min: text(min), max: text(max), feeFixed: text(feeFixed) };
}

const quoteSchema = z
  .object({
    quoteId: z.string(),
    method,
    amount: money(),
    currency: z.string(),
    chargedAmount: money(),
    creditedAmount: money(),
    serviceFee: money(),
    creditedCurrency: z.string(),
    rate: z.string().meta({ examples: ['1'] }),
    expiresAt: instant(),
  })
  .meta({ id: 'DepositQuote' });

function quoteRoute(services: Services): Route {
  const { database } = services;
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/deposit-quote',
    scope: 'money',
    tag,
    capability: 'deposit',
    summary: 'Quote a deposit',
    description:
      '`chargedAmount` × `rate`, rounded, is `creditedAmount` + `serviceFee`. A quote is valid for 15 minutes.',
    body: z.strictObject({ method, amount: amount(), currency: currency().optional() }),
    response: quoteSchema,
    status: 201,
    problems: ['account_closed', 'user_blocked', 'unavailable'],
    async prepare({ caller, params, body }) {
      const account = await requireAccount(database, caller.reach, params['accountId'] ?? '');
      return { account, terms: await priceDeposit(services, account, body) };
    },
    async write(tx, _request, { account, terms }) {
      await assertFundable(tx, account, 'accountId');
      return quoteView(quoteDeposit(tx, account, terms, services.now()));
    },
  });
}

function quoteView(quote: Quote) {
  const terms = termsOf(quote);
  const { currency, chargedAmount, accountCurrency, creditedAmount, serviceFee, rate } = terms;
  const record = { ...terms, ...quote };
  return shown(quoteSchema, record, {
    quoteId: quote.id,
    ...formatAmounts({ amount: chargedAmount, chargedAmount }, currency),
    ...formatAmounts({ creditedAmount, serviceFee }, accountCurrency),
    creditedCurrency: accountCurrency,
    rate: rate.toFixed(),
  });
}

function createRoute(services: Services): Route {
  const { mode } = services;
  return route({
    method: 'POST',
    path: '/v2/accounts/{accountId}/deposits',
    scope: 'money',
    tag,
    capability: 'deposit',
    summary: 'Create a deposit',
    description:
      'Send the payer to `checkoutUrl`. Webhooks and the status report the outcome. The return of the payer’s browser to ' +
      '`returnUrl` is no proof of payment. `Prefer: wait=N` waits until the deposit can be paid.',
    body: z.strictObject({
      quoteId: identifier('quo_01jz0000000000000000000000'),
      returnUrl: webUrl(mode === 'sandbox' ? 'loopback' : 'nowhere', 'https://shop.example.com/thanks'),
      externalId: text(100).optional(),
    }),
    response: depositSchema,
    status: 201,
    idempotency: 'required',
    problems: ['account_closed', 'user_blocked', 'quote_used', 'quote_expired'],
    settling: {
      async read({ caller, params }, id) {
        const shown = await requireDeposit(services, caller.reach, params['accountId'] ?? '', id);
        return payableDepositView(services, shown);
      },
      settled: (deposit: { status: string }) => deposit.status !== 'created',
    },
    async write(tx, request) {
      const { caller, params, body } = request;
      const given = { ...body, accountId: params['accountId'] ?? '' };
      const made = await createDeposit(services, tx, given, {
        reach: caller.reach,
        ...operationKey(request),
      });
      const { id: subject, tenantId, status } = made.deposit.transfer;
      await auditAdmin(tx, { ...request, action: 'deposits.create', subject, tenantId, after: { status } });
      return depositView(made, unrevealedUrl(services));
    },
    reveal: (body) => revealToken(services, body),
  });
}

function listRoute(services: Services): Route {
  const { database } = services;
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/deposits',
    tag,
    capability: 'deposit',
    summary: 'List deposits of an account',
    description: 'Newest first.',
    query: z.object({
      ...pageQuery,
      status: z.enum(DEPOSIT_STATUSES).optional(),
      method: method.optional(),
      currency: currency().optional().describe("The payer's currency."),
      externalId: text(100).optional(),
    }),
    response: pageSchema(depositSchema),
    async read({ caller, params, query }) {
      const account = await requireAccount(database, caller.reach, params['accountId'] ?? '');
      const { page, limit, filter } = idPage(query, 'deposit');
      const views = (await listDeposits(services, { accountId: account.id, ...filter }, page)).map((each) =>
        payableDepositView(services, each),
      );
      return pageById(views, limit, (view) => view);
    },
  });
}

function readRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v2/accounts/{accountId}/deposits/{depositId}',
    tag,
    capability: 'deposit',
    summary: 'A deposit',
    description: '`quoted` has the agreed amounts. The other amounts are what has moved.',
    response: depositSchema,
    async read({ caller, params }) {
      const { accountId = '', depositId = '' } = params;
      return payableDepositView(services, await requireDeposit(services, caller.reach, accountId, depositId));
    },
  });
}
