import { apiRoutes } from '../../src/composition';
import type { Settling } from '../../src/http/route';
import { type TestApi, testApi } from '../support/api';

/** Endpoints that serve `Prefer: wait=N`, and the states in which they stop waiting. */

let api: TestApi;
let waiting: Map<string, Settling>;
beforeAll(async () => {
  api = await testApi();
  waiting = new Map(
    apiRoutes(api.services).flatMap(({ method, path, settling }) =>
      settling ? [[`${method} ${path}`, settling]] : [],
    ),
  );
});
afterAll(() => api.close());

const isSettled = (endpoint: string, record: object) => waiting.get(endpoint)?.settled(record as never);

it('is supported by every endpoint that answers 202', () => {
  const begin = apiRoutes(api.services).filter(({ method, status }) => status === 202 && method !== 'GET');
  const without = begin
    .map(({ method, path }) => `${method} ${path}`)
    .filter((endpoint) => !waiting.has(endpoint));
  // The sandbox plays the bank in one, and the other repeats a delivery. No record of the caller is under way.
  expect(without).toEqual(['POST /sandbox/iban-credits', 'POST /v1/events/{id}/resend']);
});

it.each([
  'POST /v2/cards',
  'POST /v2/cards/{id}/topup',
  'POST /v2/cards/{id}/withdraw',
  'DELETE /v2/cards/{id}',
])('waits at %s until the operation has ended', (endpoint) => {
  expect(waiting.get(endpoint)?.idField).toBe('operationId');
  const settled = ['accepted', 'processing', 'completed', 'failed'].filter((status) =>
    isSettled(endpoint, { status }),
  );
  expect(settled).toEqual(['completed', 'failed']);
});

it.each([
  ['POST /v2/accounts/{accountId}/payouts', { status: 'pending_approval' }],
  ['POST /v1/corporate-banking/{companyId}/payouts', { status: 'pending_approval' }],
  ['POST /v1/exchange/withdrawals', { status: 'pending_approval' }],
  ['POST /v1/exchange/orders', { status: 'awaiting_settlement' }],
  ['POST /v1/gas-station/operations', { execution: 'manual', status: 'pending' }],
  ['POST /v1/gas-station/operations', { execution: 'manual', status: 'awaiting_confirmation' }],
])('stops waiting at %s when a person or another call is needed: %j', (endpoint, record) => {
  expect(isSettled(endpoint, record)).toBe(true);
});

it.each([
  ['POST /v2/accounts/{accountId}/payouts', { status: 'processing' }],
  ['POST /v1/exchange/orders', { status: 'executing' }],
  ['POST /v1/gas-station/operations', { execution: 'local', status: 'pending' }],
  ['POST /v1/gas-station/operations', { execution: 'manual', status: 'confirming' }],
])('keeps waiting at %s for the party or the chain: %j', (endpoint, record) => {
  expect(isSettled(endpoint, record)).toBe(false);
});
