import { z } from 'zod';
import { type ApiRequest, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { type Locking } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { operationKey } from '../../kernel/idempotency';
import { amount, assertFits, identifier, text } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { requirePayout } from '../payouts/create';
import { destinationSchema } from '../payouts/destinations/destination';
import { isSettled } from '../payouts/record';
import { ibanPayoutKind } from './payouts/kind';
import { createPayout, quotePayout, readAccount } from './payouts/operations';
import { transferToMaster } from './transfer-to-master';
import {
  type IbanPayoutView,
  ibanPayoutSchema,
  ibanPayoutView,
  ibanQuoteSchema,
  ibanQuoteView,
  ibanTransferSchema,
  ibanTransferView,
  virtualIbanSchema,
  virtualIbanView,
} from './view';
import { requireVirtualIban } from './virtual-ibans/capability';

const tag = 'Virtual IBAN';
const PATH = '/v1/corporate-banking/{companyId}';

type Asked = Pick<ApiRequest, 'params' | 'caller'>;

/** The virtual IBAN (`interface.md 4.1`; decisions part 4, Payouts, virtual IBAN). */
export function bankingRoutes(services: Services): Route[] {
  return [
    accountRoute(services),
    payoutCreation(services),
    payoutRetrieval(services),
    quoteRoute(services),
    transferRoute(),
  ];
}

const companyOf = ({ params }: Asked): string => params['companyId'] ?? '';

/** Every endpoint answers 403 without the capability, before it validates the request. */
const guarded = { tag, capability: 'virtual_iban' } as const;

/** @param lock `share` where money moves, so that the capability is not taken away meanwhile */
const ibanOf = (sql: Sql, request: Asked, locking: Locking = {}) =>
  requireVirtualIban(sql, request.caller, companyOf(request), locking);

function accountRoute(services: Services): Route {
  const { database } = services;
  return route({
    ...guarded,
    method: 'GET',
    path: `${PATH}/account`,
    summary: 'Get the virtual IBAN',
    description: 'Number, balance and status of the virtual IBAN.',
    response: virtualIbanSchema,
    read: async (request) => virtualIbanView(await readAccount(database, await ibanOf(database, request))),
  });
}

function quoteRoute(services: Services): Route {
  return route({
    ...guarded,
    method: 'POST',
    path: `${PATH}/quote`,
    scope: 'money',
    summary: 'Quote a payout',
    description: 'Prices a payout by SEPA in EUR. A quote is valid for five minutes.',
    body: z.strictObject({ amount: amount(), destination: destinationSchema }),
    response: ibanQuoteSchema,
    status: 201,
    problems: ['limit_exceeded'],
    async write(tx, request) {
      return ibanQuoteView(await quotePayout(services, tx, await ibanOf(tx, request), request.body));
    },
  });
}

function payoutCreation(services: Services): Route {
  return route({
    ...guarded,
    method: 'POST',
    path: `${PATH}/payouts`,
    scope: 'money',
    summary: 'Pay out by SEPA',
    description:
      'Uses a quote. Amount and fee are held, and debited when the payout is `sent`. Above your threshold an operator ' +
      'approves the payout first. A payout to a new destination may wait too, and `description` says until when.',
    body: z.strictObject({
      quoteId: identifier('quo_01jz0000000000000000000000'),
      externalId: text(200).min(1).optional(),
    }),
    response: ibanPayoutSchema,
    personal: ['destination'],
    personOf: () => null,
    status: 201,
    idempotency: 'required',
    problems: ['ErrAlreadyExists', 'quote_used', 'quote_expired', 'insufficient_funds'],
    settling: {
      read: (request, id) => readPayout(services, request, id),
      settled: isSettled,
    },
    async write(tx, request) {
      const iban = await ibanOf(tx, request, { lock: 'share' });
      const made = ibanPayoutView(
        await createPayout(services, tx, iban, request.body, operationKey(request)),
      );
      const { id: subject, companyId: tenantId, status } = made;
      await auditAdmin(tx, { ...request, action: 'banking.payout', subject, tenantId, after: { status } });
      return made;
    },
  });
}

function payoutRetrieval(services: Services): Route {
  return route({
    ...guarded,
    method: 'GET',
    path: `${PATH}/payouts/{payoutId}`,
    summary: 'A payout',
    description: 'The destination is masked.',
    response: ibanPayoutSchema,
    personal: ['destination'],
    permission: 'view',
    read: (request) => readPayout(services, request, request.params['payoutId'] ?? ''),
  });
}

async function readPayout(services: Services, request: Asked, id: string): Promise<IbanPayoutView> {
  const { id: accountId, tenantId: reach } = await ibanOf(services.database, request);
  return ibanPayoutView(await requirePayout(services, ibanPayoutKind, { id, accountId, reach }));
}

function transferRoute(): Route {
  return route({
    ...guarded,
    method: 'POST',
    path: `${PATH}/transfers`,
    scope: 'money',
    summary: "Move money to the company's own EUR account",
    description: 'Moves money at once, by two account transactions with one `referenceId`.',
    body: z.strictObject({ amount: amount() }),
    response: ibanTransferSchema,
    status: 201,
    idempotency: 'required',
    problems: ['insufficient_funds'],
    async write(tx, request) {
      const { amount: moved } = request.body;
      const iban = await ibanOf(tx, request, { lock: 'share' });
      assertFits(moved, 'EUR');
      const record = ibanTransferView(
        iban,
        moved,
        await transferToMaster(tx, iban, moved, request.idempotencyKey),
      );
      const { id: subject, amount: shown, currency } = record;
      const after = { amount: shown, currency };
      await auditAdmin(tx, {
        ...request,
        action: 'banking.transfer',
        subject,
        tenantId: iban.tenantId,
        after,
      });
      return record;
    },
  });
}
