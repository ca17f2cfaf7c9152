/** @long lets every check of a party fail once. */
import type { CheckResult } from '../../scripts/party-check/outcome';
import { type Fault, faultyParty, isList, isOrder, isState, letIn, parsed } from './faulty-party';
import { type CheckedWorld, checkedWorld } from './support';

/** A party with one fault fails exactly the checks of that fault. */

let world: CheckedWorld;
let secret: Buffer;
beforeAll(async () => {
  world = await checkedWorld();
  secret = world.secretOf('payouts');
});
afterAll(() => world.close());

const keyIn = (path: string) => decodeURIComponent(path.split('/').at(-1) ?? '');

/** Changes the state in every answer that has one. */
const changing =
  (change: (word: any) => object, which: (exchange: any) => boolean = () => true): Fault['answer'] =>
  async (exchange, forward) => {
    const reply = await forward(exchange);
    const tells = reply.status < 300 && !isList(exchange) && which(exchange);
    return tells ? { ...reply, body: { ...reply.body, ...change(reply.body) } } : reply;
  };

const faults = (): Record<string, [Fault, string[]]> => {
  const paid = new Map<string, number>();
  let underWay = 0;
  let version = 1000;
  let readings = 0;
  return {
    'lets anybody in': [
      { answer: (exchange, forward) => forward(letIn(exchange, secret)) },
      ['authorization.missing', 'authorization.wrong'],
    ],
    'takes any token for the right one': [
      {
        answer: (exchange, forward) =>
          forward(exchange.headers['authorization'] ? letIn(exchange, secret) : exchange),
      },
      ['authorization.wrong'],
    ],
    'lets nobody in': [
      { answer: async () => ({ status: 401, body: { code: 'unauthorized' } }) },
      ['authorization.right', 'state.unknown', 'changes.pages', 'order.accepted'],
    ],
    'has another code for what is not there': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          return reply.status === 404 ? { status: 404, body: { code: 'order_missing' } } : reply;
        },
      },
      ['state.unknown'],
    ],
    'pays each time that it is asked': [
      {
        async answer(exchange, forward) {
          const key = exchange.headers['idempotency-key'];
          const reply = await forward(exchange);
          if (isOrder(exchange) && key !== undefined && reply.status === 201)
            paid.set(key, (paid.get(key) ?? 0) + 1);
          const times = paid.get(keyIn(exchange.path)) ?? 1;
          if (!isState(exchange) || reply.body.sent === undefined) return reply;
          return { ...reply, body: { ...reply.body, sent: String(Number(reply.body.sent) * times) } };
        },
      },
      ['order.at-once', 'order.once'],
    ],
    'makes a record of its own of a repeat': [
      {
        async answer(exchange, forward) {
          const key = exchange.headers['idempotency-key'];
          if (!isOrder(exchange) || key === undefined) return forward(exchange);
          const times = (paid.get(`again ${key}`) ?? 0) + 1;
          paid.set(`again ${key}`, times);
          const headers = { ...exchange.headers, 'idempotency-key': times === 1 ? key : `${key}-${times}` };
          const reply = await forward({ ...exchange, headers });
          // A different order is refused correctly.
          const same = parsed(exchange.body)?.amount === '100.00';
          return same || reply.status >= 300 ? reply : { status: 409, body: { code: 'conflict' } };
        },
      },
      ['order.repeated', 'order.at-once'],
    ],
    'breaks when it is asked twice at once': [
      {
        async answer(exchange, forward) {
          if (!isOrder(exchange)) return forward(exchange);
          underWay += 1;
          const reply = underWay > 1 ? { status: 500, body: { code: 'oops' } } : await forward(exchange);
          underWay -= 1;
          return reply;
        },
      },
      ['order.at-once'],
    ],
    'says that it has taken another order under the key': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          if (reply.status !== 409) return reply;
          const path = `/orders/${exchange.headers['idempotency-key']}`;
          const state = await forward({ ...exchange, method: 'GET', path, body: '' });
          return { ...state, status: 201 };
        },
      },
      ['order.another'],
    ],
    'refuses another order under the key as if the first had been none': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          return reply.status === 409 ? { status: 422, body: { code: 'key_used' } } : reply;
        },
      },
      ['order.another'],
    ],
    'has a fault where the body is wrong': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          const wrong = reply.status === 422 && exchange.headers['idempotency-key'] !== undefined;
          return wrong ? { status: 500, body: { code: 'oops' } } : reply;
        },
      },
      ['order.malformed'],
    ],
    'says in prose why a body is wrong': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          const wrong = reply.status === 422 && exchange.headers['idempotency-key'] !== undefined;
          return wrong ? { status: 422, body: { code: 'The body is wrong' } } : reply;
        },
      },
      ['order.malformed'],
    ],
    'takes orders without a key': [
      {
        answer(exchange, forward) {
          const key = exchange.headers['idempotency-key'] ?? `made-up-${Math.random()}`;
          return forward({ ...exchange, headers: { ...exchange.headers, 'idempotency-key': key } });
        },
      },
      ['order.without-key'],
    ],
    'refuses fields that it does not know': [
      {
        answer: async (exchange, forward) =>
          exchange.body.includes('fieldOfALaterRelease')
            ? { status: 422, body: { code: 'unknown_field' } }
            : forward(exchange),
      },
      ['order.unknown-fields'],
    ],
    'answers an order with numbers': [
      { answer: changing(({ sent }) => ({ sent: Number(sent) }), isOrder) },
      ['order.amounts'],
    ],
    'tells a state with numbers': [
      { answer: changing(({ sent }) => ({ sent: Number(sent) }), isState) },
      ['state.amounts'],
    ],
    'answers an order with a status of its own': [
      { answer: changing(() => ({ status: 'queued' }), isOrder) },
      ['order.answer'],
    ],
    'tells a state with a status of its own': [
      { answer: changing(() => ({ status: 'queued' }), isState) },
      ['state.shape'],
    ],
    'tells of another record': [{ answer: changing(() => ({ key: 'another' }), isState) }, ['state.shape']],
    'counts its versions down': [
      { answer: changing(() => ({ version: (version -= 1) }), isState) },
      ['state.version'],
    ],
    'has a list without an end': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          return isList(exchange) ? { ...reply, body: { ...reply.body, more: true } } : reply;
        },
      },
      ['changes.pages'],
    ],
    'has no list': [
      {
        answer: async (exchange, forward) =>
          isList(exchange) &&
          exchange.headers['authorization'] === letIn(exchange, secret).headers['authorization']
            ? { status: 404, body: { code: 'unknown_path' } }
            : forward(exchange),
      },
      ['changes.pages'],
    ],
    'lists nothing new': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          const isNew = isList(exchange) && exchange.path.includes('after');
          return isNew && reply.status === 200
            ? { ...reply, body: { ...reply.body, changes: [], more: false } }
            : reply;
        },
      },
      ['changes.lists'],
    ],
    'lists in another order each time': [
      {
        async answer(exchange, forward) {
          const reply = await forward(exchange);
          if (!isList(exchange) || reply.status !== 200) return reply;
          readings += 1;
          const changes = readings % 2 === 0 ? reply.body.changes.toReversed() : reply.body.changes;
          return { ...reply, body: { ...reply.body, changes } };
        },
      },
      ['changes.stable'],
    ],
    'never calls': [{ callback: () => undefined }, ['callback.arrives']],
    'signs with another secret': [
      { callback: (body) => ({ body, secret: Buffer.alloc(32, 1) }) },
      ['callback.signed'],
    ],
    'signs with a clock of its own': [
      { callback: (body) => ({ body, at: new Date(Date.now() - 600_000) }) },
      ['callback.signed'],
    ],
    'calls without a name for the message': [
      { callback: (body) => ({ body: JSON.stringify({ key: parsed(body).key }) }) },
      ['callback.shape'],
    ],
  };
};

const failed = (results: readonly CheckResult[]): string[] =>
  results.filter(({ outcome }) => outcome === 'FAILED').map(({ name }) => name);

/** Several checks run concurrently, because a check mostly waits for the party. */
const AT_ONCE = 7;
const all = Object.entries(faults());
const groups = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, group) =>
  all.slice(group * AT_ONCE, (group + 1) * AT_ONCE),
);

it.each(groups.map((group) => [group.map(([name]) => name).join('; '), group] as const))(
  'a party that %s',
  async (_, group) => {
    const came = await Promise.all(
      group.map(async ([name, [fault]]) => {
        const party = await faultyParty(world.urlOf('payouts'), secret, fault);
        const results = await world.check('payouts', { baseUrl: party.url, patienceMs: 1_500 });
        await party.close();
        return [name, failed(results).sort()] as const;
      }),
    );
    expect(came).toEqual(group.map(([name, [, expected]]) => [name, [...expected].sort()]));
  },
);

it('an unreachable party is one failure, and no other check runs', async () => {
  const results = await world.check('payouts', { baseUrl: 'http://127.0.0.1:1' });
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([['reachable', 'FAILED']]);
});
