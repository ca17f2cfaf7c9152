import fc from 'fast-check';
import { identity } from '../people/cardholders/support';
import type { Answer, Client } from '../support/api';
import { type FormParts, form, jpeg } from '../support/uploads';
import { DESTINATION } from '../transfers/iban/support';
import type { Operation, Place } from './operations';
import { type Extent, valuesOf } from './values';

/** A request with open places for ids. */
export interface Draft {
  operation: Operation;
  /** `with all fields, {"type":"settle"}` */
  what: string;
  body: Record<string, unknown> | undefined;
  form: boolean;
  /** The places that this request fills. */
  places: Place[];
}

/** Counter, because a reference can be used only once. */
let references = 0;

/** Values that no schema determines: known, offered and affordable ones. */
const samplesFor = (api: Parameters<typeof identity>[0]): Record<string, unknown> => ({
  ...identity(api),
  amount: '10.00',
  minReceive: '0.01',
  allocation: '0.25',
  currency: 'USD',
  destination: DESTINATION,
  returnUrl: 'https://shop.example/back',
  paymentMethodToken: 'tok_visa',
  meta: { nickname: 'Eve' },
  idExpiryDate: '2034-01-01',
  reference: `offramp-${(references += 1)}`,
  perTransaction: '500.00',
  perDay: '900.00',
  perMonth: '1000.00',
  blockedMccs: ['5411'],
  allowedMccs: ['5812'],
  blockedCountries: ['GB'],
  version: 0,
  challengeEcommerce: true,
  challengeAbove: '400.00',
  homeCountries: ['LV'],
  channel: 'present',
  merchant: { name: 'Shop', mcc: '5411', city: 'Riga', country: 'LV' },
  file: jpeg('a photo'),
  asset: 'USDT',
  gasBalance: '0.25',
  txHash: `0x${'ab'.repeat(32)}`,
  logIndex: 0,
  gasTopupAmount: '0.01',
  maxGasPrice: '50',
  dailyGasBudget: '1',
  minSweepAmount: { USDT: '5' },
  treasuryAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 31_337,
  rpcUrls: ['https://node.example/'],
  explorerUrl: null,
  assets: [],
});

/**
 * Variants of bodies: every value of a field that determines the others, and values that are necessary although the
 * schema leaves them open.
 */
const VARIANTS: Record<string, Record<string, unknown>[]> = {
  'POST /sandbox/transactions': [
    ...['authorization', 'settle', 'refund', 'decline'].map((type) => ({ type, amount: '10.00' })),
    { type: 'cancel', referenceId: 'an authorization' },
  ],
  'POST /sandbox/clock': [{ advance: 'PT1S' }],
  // A lease has a time and no scope; a permanent address has a scope and no time.
  'POST /v1/wallets/allocate': [
    { permanent: false, scope: undefined },
    { permanent: true, ttlSeconds: undefined },
  ],
  'PATCH /v1/cardholders/{id}': [{ firstName: 'Eve' }],
  'POST /v2/accounts/{accountId}/deposit-quote': [{ method: 'card' }],
  'POST /v2/accounts/{accountId}/payout-quote': [{ method: 'sepa', currency: 'EUR' }],
};

/**
 * Returns valid requests of an operation: with the required fields and with all fields, each in every variant. The seed
 * decides the rest.
 */
export function draftsOf(api: Parameters<typeof identity>[0], operation: Operation, seed: number): Draft[] {
  const { body: schema, places } = operation;
  const extents: Extent[] =
    schema || places.some((place) => place.in === 'query') ? ['required', 'all'] : ['all'];
  const variants = VARIANTS[operation.name] ?? [{}];
  return extents.flatMap((extent) =>
    variants.map((variant) => {
      const drawn = schema
        ? fc.sample(valuesOf(schema, extent, samplesFor(api)), { seed, numRuns: 1 })[0]
        : {};
      const body = { ...(drawn as Record<string, unknown>), ...variant };
      // A photo is either sent or referenced.
      if (body['fileId'] !== undefined) delete body['file'];
      else if (operation.takesForm) body['file'] ??= jpeg('a photo');
      return {
        operation,
        what: `${operation.name} with ${extent} fields${schema ? ` ${JSON.stringify(variant)}` : ''}`,
        body: schema && body,
        form: operation.takesForm && body['file'] !== undefined,
        places: places.filter(
          ({ in: at, name, required }) =>
            at === 'path' || (at === 'query' ? extent === 'all' || required === true : name in body),
        ),
      };
    }),
  );
}

/** Required parameters of a query that name nothing of a tenant. */
const PLAIN_QUERIES: Record<string, Record<string, string>> = {
  'GET /v1/accounts/{id}/statement': { from: '2026-01-01', to: '2027-01-01' },
};

/** @param ids ids by the name of the place */
export function send(
  client: Client,
  draft: Draft,
  ids: Record<string, string>,
  key: string,
): Promise<Answer> {
  const { operation, places } = draft;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids[name] ?? ''),
  );
  const query = new URLSearchParams(PLAIN_QUERIES[operation.name]);
  for (const place of places) if (place.in === 'query') query.set(place.name, ids[place.name] ?? '');
  const named = places.filter((place) => place.in === 'body').map(({ name }) => [name, ids[name]]);
  const body = draft.body && { ...draft.body, ...Object.fromEntries(named) };
  const headers = { 'x-idempotency-key': key };
  const target = query.size > 0 ? `${path}?${query.toString()}` : path;
  if (!draft.form) return client.call(operation.method, target, body, headers);
  const sent = form(Object.entries(body ?? {}).map(partOf));
  return client.call(operation.method, target, sent.body, { ...headers, ...sent.headers });
}

const partOf = ([name, value]: [string, unknown]): FormParts[number] =>
  Buffer.isBuffer(value) ? [name, { bytes: value }] : [name, String(value)];
