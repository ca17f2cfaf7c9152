import type { Permission } from '../../src/kernel/permissions';
import type { Scope } from '../../src/kernel/scopes';
import { resolvedIn } from '../support/documented';
import type { Kind } from './records';
import type { RequestSchema } from './values';

/** A place in a request that names something of a tenant. */
export interface Place {
  in: 'path' | 'query' | 'body';
  name: string;
  kind: Kind;
  /** A required query parameter: every request has it. */
  required?: boolean | undefined;
}

/** An operation of the OpenAPI document, with the parts that a caller needs. */
export interface Operation {
  /** `POST /v1/cards` */
  name: string;
  method: string;
  path: string;
  role: 'public' | 'client' | 'admin' | 'operator';
  /** The scope that a tenant's secret needs. Absent: none. */
  scope?: Scope;
  /** The permission that an admin's operation names. */
  permission?: Permission;
  /** Success statuses. */
  success: number[];
  /** Whether the answer is a page: `{ data, hasMore, nextCursor }`. */
  lists: boolean;
  places: Place[];
  queries: { name: string; required?: boolean }[];
  body?: RequestSchema;
  takesForm: boolean;
  takesJson: boolean;
}

/** Kinds of names that mean several things, such as `id`, by the path before them. */
const BY_PATH: [path: RegExp, name: string, kind: Kind][] = [
  [/^\/v1\/users\/\{id\}\/kyc\/submit$/, 'id', 'documentedUser'],
  [/^\/v1\/users\/\{id\}\/kyc\/status$/, 'id', 'userInReview'],
  [/^\/v1\/users\/\{id\}/, 'id', 'user'],
  [/^\/v1\/cardholders\/\{id\}\/retry$/, 'id', 'failedCardholder'],
  [/^\/v1\/cardholders\/\{id\}/, 'id', 'pendingCardholder'],
  [/^\/v1\/cards\/transactions\/\{id\}$/, 'id', 'cardTransaction'],
  [/^\/v[12]\/cards\/\{id\}/, 'id', 'card'],
  [/^\/v[12]\/accounts\/\{id\}/, 'id', 'account'],
  [/\/topup\/\{txId\}$/, 'txId', 'topup'],
  [/\/withdraw\/\{txId\}$/, 'txId', 'withdrawal'],
  [/^\/v2\/accounts\/\{accountId\}\/payouts/, 'payoutId', 'payout'],
  [/^\/v1\/corporate-banking\/\{companyId\}\/payouts/, 'payoutId', 'ibanPayout'],
  [/^\/v1\/exchange\/withdrawals$/, 'accountId', 'euroAccount'],
  [/^\/v2\/accounts\/\{accountId\}\/deposits$/, 'quoteId', 'depositQuote'],
  [/^\/v2\/accounts\/\{accountId\}\/payouts$/, 'quoteId', 'payoutQuote'],
  [/^\/v1\/corporate-banking\/\{companyId\}\/payouts$/, 'quoteId', 'ibanQuote'],
  [/^\/v2\/accounts\/\{accountId\}\/exchanges$/, 'quoteId', 'exchangeQuote'],
  [/^\/v2\/accounts\/\{accountId\}\/exchange-quote$/, 'toAccountId', 'euroAccount'],
  [/^\/v1\/exchange\/orders$/, 'toAccountId', 'euroAccount'],
  [/^\/v2\/cards$/, 'quoteId', 'cardIssueQuote'],
  [/^\/v2\/cards\/\{id\}\/topup$/, 'quoteId', 'cardTopupQuote'],
  [/^\/v1\/wallets\//, 'address', 'wallet'],
  [/^\/v1\/events\/\{id\}/, 'id', 'event'],
  [/^\/v1\/events$/, 'recordId', 'reference'],
];

/** Names that mean the same everywhere. */
const BY_NAME: Record<string, Kind> = {
  accountId: 'account',
  bin: 'bin',
  cardholderId: 'cardholder',
  cardId: 'card',
  chain: 'network',
  companyId: 'company',
  depositId: 'deposit',
  destinationId: 'destination',
  docId: 'document',
  externalId: 'externalId',
  fileId: 'file',
  fromAccountId: 'account',
  iban: 'iban',
  operation_id: 'cardOperation',
  orderId: 'exchangeOrder',
  referenceId: 'reference',
  toAccountId: 'masterAccount',
  userId: 'user',
  withdrawalId: 'exchangeWithdrawal',
};

/** Names of values without an owner. A destination may belong to anybody; `reference` is the operator's text. */
const PLAIN = new Set([
  ...['amount', 'minReceive', 'allocation', 'currency', 'fromCurrency', 'method', 'reason', 'description'],
  ...['label', 'note', 'notes', 'reference', 'limit', 'cursor', 'from', 'to', 'at', 'fromDate', 'toDate'],
  ...['type', 'subtype', 'kind', 'status', 'kycStatus', 'ownerType', 'slot', 'wallet', 'enabled', 'final'],
  ...['mute', 'region', 'overlapSeconds', 'side', 'url', 'returnUrl', 'paymentMethodToken', 'destination'],
  ...['merchant', 'meta', 'file', 'firstName', 'lastName', 'email', 'phone', 'phoneCode', 'birthday'],
  ...['country', 'town', 'address', 'postCode', 'gender', 'idType', 'idNo', 'idIssueDate', 'idExpiryDate'],
  ...['nationality', 'occupation', 'annualSalary', 'accountPurpose', 'expectedMonthlyVolume'],
  ...['perTransaction', 'perDay', 'perMonth', 'blockedMccs', 'allowedMccs', 'blockedCountries', 'version'],
  ...['challengeEcommerce', 'challengeAbove', 'homeCountries', 'channel'],
  ...['format', 'remitter', 'asset', 'ttlSeconds', 'permanent', 'scope', 'gasBalance', 'txHash', 'logIndex'],
  ...['advance'],
]);

/** Paths for the operator only. Their requests name nothing of a tenant. */
const OPERATORS = /^\/v1\/(gas-station|networks)\//;

/**
 * @throws Error for a name that is in no table here. The author of an operation must state whether it names a tenant's
 * record, otherwise the tests of tenants would miss it.
 */
function placeOf(path: string, at: Place['in'], name: string): Place[] {
  if (OPERATORS.test(path)) return [];
  const kind = BY_PATH.find(([where, what]) => what === name && where.test(path))?.[2] ?? BY_NAME[name];
  if (kind) return [{ in: at, name, kind }];
  if (at !== 'path' && PLAIN.has(name)) return [];
  throw new Error(`${path} takes ${name} (${at}): say in ${__filename} what it names`);
}

/**
 * Every operation of an OpenAPI document.
 * @param placed what a request names. The desk's requests name nothing of the caller's own
 */
export function operationsOf(document: any, placed: typeof placeOf = placeOf): Operation[] {
  return Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationOf(document, { path, method: method.toUpperCase(), operation, placed }),
    ),
  );
}

interface Documented {
  path: string;
  method: string;
  operation: any;
  placed: typeof placeOf;
}

function operationOf(document: any, { path, method, operation, placed }: Documented): Operation {
  const parameters: { in: Place['in'] | 'header'; name: string; required?: boolean }[] =
    operation.parameters ?? [];
  const content = operation.requestBody?.content ?? {};
  const [body] = Object.values<{ schema: RequestSchema }>(content).map(({ schema }) => schema);
  const success = Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 300);
  const { content: answers } = resolvedIn(document, operation.responses[success[0] ?? 0]);
  const shown = resolvedIn(document, answers?.['application/json']?.schema);
  return {
    name: `${method} ${path}`,
    method,
    path,
    role: operation['x-role'],
    ...(operation['x-scope'] ? { scope: operation['x-scope'] } : {}),
    ...(operation['x-permission'] ? { permission: operation['x-permission'] } : {}),
    success,
    lists: shown?.properties?.hasMore !== undefined,
    places: [
      ...parameters.flatMap(({ in: at, name, required }) =>
        at === 'header' ? [] : placed(path, at, name).map((place) => ({ ...place, required })),
      ),
      ...Object.entries(body?.properties ?? {}).flatMap(([name, { readOnly }]) =>
        readOnly ? [] : placed(path, 'body', name),
      ),
    ],
    queries: parameters.filter(({ in: at }) => at === 'query'),
    ...(body ? { body } : {}),
    takesForm: 'multipart/form-data' in content,
    takesJson: 'application/json' in content,
  };
}
