import { EventEmitter } from 'node:events';
import type { Context } from 'koa';
import { createWaiting } from '../../src/http/prefer-wait';
import type { ApiRequest, Settling, WriteRoute } from '../../src/http/route';
import { json, type Kit, testKit } from './kit';

const FIRST = { status: 201, body: '{"id":"x","state":"new"}' };

function caller(prefer = 'wait=30') {
  const headers: Record<string, string> = {};
  const res = new EventEmitter();
  const ctx = { get: () => prefer, set: (name: string, value: string) => (headers[name] = value), res };
  return { ctx: ctx as unknown as Context, headers, hangUp: () => res.emit('close') };
}

/** A request of a tenant. */
const of = (tenantId: string) => ({ caller: { tenantId } }) as ApiRequest;

/** A record that is settled on demand, with a count of its reads. */
function record() {
  const state = { settled: false, reads: 0 };
  const settling: Settling = {
    async read() {
      state.reads += 1;
      return { id: 'x', state: state.settled ? 'settled' : 'new' };
    },
    settled: (shown: { state: string }) => shown.state === 'settled',
  };
  return { state, route: { settling } as unknown as WriteRoute };
}

it('delays a hundred answers per process, and gives the next one at once', async () => {
  const awaitSettled = createWaiting();
  const { state, route } = record();
  const held = Array.from({ length: 100 }, (_, each) =>
    awaitSettled(caller().ctx, route, of(`tenant ${each % 4}`), FIRST),
  );
  const next = caller();
  expect(await awaitSettled(next.ctx, route, of('another tenant'), FIRST)).toBe(FIRST);
  expect(next.headers).toEqual({});
  state.settled = true;
  for (const answer of await Promise.all(held))
    expect(JSON.parse(answer.body)).toMatchObject({ state: 'settled' });
  const again = caller();
  await awaitSettled(again.ctx, route, of('another tenant'), FIRST);
  expect(again.headers).toEqual({ 'Preference-Applied': 'wait=30' });
});

it('delays 25 answers of a tenant, and gives the next one at once, while another tenant waits', async () => {
  const awaitSettled = createWaiting();
  const { state, route } = record();
  const held = Array.from({ length: 25 }, () => awaitSettled(caller().ctx, route, of('one'), FIRST));
  const [next, other] = [caller(), caller()];
  expect(await awaitSettled(next.ctx, route, of('one'), FIRST)).toBe(FIRST);
  expect(next.headers).toEqual({});
  const waits = awaitSettled(other.ctx, route, of('other'), FIRST);
  state.settled = true;
  for (const answer of await Promise.all([...held, waits])) expect(answer.body).toContain('settled');
  expect(other.headers).toEqual({ 'Preference-Applied': 'wait=30' });
  // The places are free again.
  const again = caller();
  await awaitSettled(again.ctx, route, of('one'), FIRST);
  expect(again.headers).toEqual({ 'Preference-Applied': 'wait=30' });
});

it('stops waiting for a caller that has hung up', async () => {
  const awaitSettled = createWaiting(1);
  const { state, route } = record();
  const gone = caller();
  const answer = awaitSettled(gone.ctx, route, of('another tenant'), FIRST);
  gone.hangUp();
  expect(await answer).toBe(FIRST);
  const { reads } = state;
  state.settled = true;
  // The place is free again, and the record is no longer read.
  expect((await awaitSettled(caller().ctx, route, of('another tenant'), FIRST)).body).toContain('settled');
  expect(state.reads).toBe(reads + 1);
});

it('stops waiting when the record waits for a person', async () => {
  const { state, route } = record();
  Object.assign(route.settling as Settling, { awaitsPerson: async () => state.reads === 2 });
  const { ctx, headers } = caller();
  const answer = await createWaiting()(ctx, route, of('another tenant'), FIRST);
  expect([state.reads, JSON.parse(answer.body)]).toEqual([2, { id: 'x', state: 'new' }]);
  expect(headers).toEqual({ 'Preference-Applied': 'wait=30' });
});

it('reads the record by the configured id field', async () => {
  const { state, route } = record();
  const read = jest.fn(route.settling?.read);
  Object.assign(route.settling as Settling, { idField: 'operationId', read });
  state.settled = true;
  const first = { status: 202, body: '{"operationId":"cop_1","state":"new"}' };
  await createWaiting()(caller().ctx, route, of('another tenant'), first);
  expect(read).toHaveBeenCalledWith(of('another tenant'), 'cop_1');
});

describe('over HTTP', () => {
  let kit: Kit;
  beforeAll(async () => {
    kit = await testKit();
  });
  afterAll(() => kit.close());

  it('returns the first state when the database goes away during the wait', async () => {
    const client = await kit.client();
    const before = await kit.count();
    await kit.database.query('alter table things rename column reads to unreadable');
    const answer = await kit.call('/things', json({ amount: '5' }, { ...client, prefer: 'wait=30' }));
    expect(answer).toMatchObject({ status: 201, body: { amount: '5.00', state: 'new' } });
    expect(answer.headers).not.toHaveProperty('preference-applied'); // the wait was not honoured
    await kit.database.query('alter table things rename column unreadable to reads');
    expect(await kit.count()).toBe(before + 1);
  });
});
