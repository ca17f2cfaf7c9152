/** @long */
import { EXAMPLES, FORM_EXAMPLES } from '../../src/http/openapi/examples';
import { type Operation, operationsOf, type Place } from '../attack/operations';
import { type Records, recordsOf } from '../attack/records';
import { byHand, OPERATIONS, TOPUPS } from '../chain/gas-station/operations/by-person/decisions';
import { execute, type TestStation, testStation } from '../chain/gas-station/operations/support';
import { type Answer, type Client, DECIDED_AT_ONCE } from '../support/api';
import { form, jpeg } from '../support/uploads';

/** Each example of the document works when pasted, once its ids are those of real records. */

let world: TestStation;
let document: any;
let operations: Operation[];
beforeAll(async () => {
  world = await testStation({ wiring: DECIDED_AT_ONCE });
  document = (await world.api.call('GET', '/openapi.json')).body;
  operations = operationsOf(document);
}, 60_000);
afterAll(() => world.close());

const { exported } = byHand(() => world);
const executed = async (path: string, id: string) =>
  execute(world, (await exported(path, id)).transactions[0]);

const wallet = async () => (await world.wallets(1, 5_000_000n, '0.01'))[0]!;
/** A wallet that needs gas. The station can pay again, because an earlier example has set another one. */
async function poorWallet() {
  await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address: world.station });
  return (await world.wallets(1, 1n))[0]!;
}
const present = async (path: string) => ({ version: (await world.admin.call('GET', path)).body.version });

/** Values of a request that are not ids of a tenant's records, by the name of the operation. */
const PREPARED: Record<string, (records: Records) => Promise<Record<string, unknown>>> = {
  unfreezeBufferedCard: async ({ client, id }) => {
    await client.call('POST', `/v2/cards/${await id('card')}/freeze`, { reason: 'manual' });
    return {};
  },
  confirmChainDeposit: async ({ id }) => ({
    txHash: await world.chain.pay(world.token, await id('wallet'), 5_000_000n),
  }),
  noteGasBalance: async () => ({ address: (await wallet()).address }),
  updateNetwork: () => present('/v1/networks/local'),
  updateGasConfig: () => present('/v1/gas-station/config/local'),
  createSweep: async () => ({ walletId: (await wallet()).id }),
  createGasTopup: async () => ({ walletId: (await poorWallet()).id }),
  failSweep: async () => ({ id: (await world.sweep((await wallet()).id)).id }),
  failGasTopup: async () => ({ id: (await world.topup((await poorWallet()).id)).id }),
  async confirmSweep() {
    const { id } = await world.sweep((await wallet()).id);
    return { id, txHash: await executed(OPERATIONS, id) };
  },
  async confirmGasTopup() {
    const { id } = await world.topup((await poorWallet()).id);
    return { id, txHash: await executed(TOPUPS, id) };
  },
};

/** Operations that every tenant can call with the demo BIN of the example. */
const DEMO_BIN = ['createCardholder', 'setUserBin'];

/** The values that stand in place of the example's ids. */
async function realOf(name: string, places: Place[], records: Records): Promise<Record<string, unknown>> {
  const ids: Record<string, unknown> = { chain: 'local' };
  for (const place of places)
    if (place.kind !== 'externalId' && place.kind !== 'network')
      ids[place.name] = await records.id(place.kind);
  if (DEMO_BIN.includes(name)) delete ids['bin'];
  return { ...ids, ...(await PREPARED[name]?.(records)) };
}

let keys = 0;

/** Names of the query parameters that a request must have. */
const required = ({ path, method }: Operation): string[] =>
  (document.paths[path][method.toLowerCase()].parameters ?? [])
    .filter((parameter: any) => parameter.in === 'query' && parameter.required)
    .map(({ name }: any) => name);

async function send(operation: Operation, name: string, example: object, asForm: boolean): Promise<Answer> {
  const tenant = await world.api.client();
  const records = recordsOf(world.api, tenant, 'Ada');
  const places = operation.places.filter(({ in: at, name: field }) => at === 'path' || field in example);
  const real = await realOf(name, places, records);
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => String(real[parameter]));
  const query = required(operation).map((name): [string, string] => [name, String(real[name])]);
  const path = query.length > 0 ? `${filled}?${new URLSearchParams(query).toString()}` : filled;
  const body = Object.fromEntries(
    Object.entries(example).map(([field, value]) => [field, real[field] ?? value]),
  );
  const caller: Client = operation.role === 'admin' ? world.admin : tenant;
  const key = { 'x-idempotency-key': `example-${(keys += 1)}` };
  if (!asForm) return caller.call(operation.method, path, body, key);
  const sent = form(
    Object.entries(body).map(([field, value]) =>
      field === 'file' ? [field, { bytes: jpeg(), name: String(value) }] : [field, String(value)],
    ),
  );
  return caller.call(operation.method, path, sent.body, { ...sent.headers, ...key });
}

const nameOf = ({ path, method }: Operation): string =>
  document.paths[path][method.toLowerCase()].operationId;

it('has an example for every body, and shows it', () => {
  const bodies = operations.flatMap(({ path, method }) => {
    const { operationId, requestBody } = document.paths[path][method.toLowerCase()];
    return Object.entries<any>(requestBody?.content ?? {}).map(([type, { example }]) => ({
      operationId,
      type,
      example,
    }));
  });
  expect(bodies.length).toBeGreaterThan(60);
  expect(bodies.filter(({ example }) => example === undefined)).toEqual([]);
  const shown = bodies.map(({ operationId }) => operationId as string);
  expect(
    [...Object.keys(EXAMPLES), ...Object.keys(FORM_EXAMPLES)].filter((name) => !shown.includes(name)),
  ).toEqual([]);
});

describe('is accepted with a documented success', () => {
  const cases = [
    ...Object.entries(EXAMPLES).map(([name, example]) => [name, example, false] as const),
    ...Object.entries(FORM_EXAMPLES).map(([name, example]) => [name, example, true] as const),
  ];
  it.each(cases)(
    '%s %j',
    async (name, example, asForm) => {
      const operation = operations.find((each) => nameOf(each) === name)!;
      const { status, text } = await send(operation, name, example, asForm);
      expect([operation.success.includes(status), text]).toEqual([true, expect.anything()]);
    },
    30_000,
  );
});
