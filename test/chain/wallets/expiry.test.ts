/** @long */
import { createHousekeepingActivities } from '../../../activities/housekeeping';
import { createWalletActivities } from '../../../activities/wallets';
import { allocationProcesses } from '../../../src/chain/wallets/allocations/workflows';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../../support/temporal';
import { insertNetwork } from './support';

let api: TestApi;
let temporal: TimeSkipping;
let client: Client;
let admin: Client;
let accountId: string;
/** The workflows' clock while they run. */
const clock = { at: new Date() };

beforeAll(async () => {
  [api, temporal] = await Promise.all([testApi({ now: () => clock.at }), timeSkipping()]);
  await temporal.keepWorkers(
    watchedSteps(createWalletActivities(api.services), {
      begins: (_name, at) => {
        clock.at = at;
        return 0;
      },
      ended: () => undefined,
    }),
  );
  await insertNetwork(api.database);
  [client, admin] = [await api.client(), await api.client('admin')];
  accountId = await masterAccount(client);
}, 600_000);
afterAll(async () => {
  await temporal.close();
  await api.close();
});

let references = 0;
async function allocate(given: object = {}) {
  const asked = { chain: 'local', asset: 'USDT', accountId, reference: `order-${references++}` };
  const { body } = await client.call('POST', '/v1/wallets/allocate', { ...asked, ...given });
  const { wallet_id: walletId } = (
    await api.database.query('select wallet_id from wallet_allocations where id = $1', [body.id])
  )[0] as { wallet_id: string };
  return { ...body, walletId } as Record<string, string>;
}
const statusOf = async ({ walletId }: Record<string, string>) =>
  (await api.database.query('select status from wallets where id = $1', [walletId]))[0]?.['status'];
const endOf = async ({ id }: Record<string, string>) =>
  (
    await api.database.query<{ ended_at: Date | null }>(
      'select ended_at from wallet_allocations where id = $1',
      [id],
    )
  )[0]?.ended_at?.toISOString();
const pass = (seconds: number) => {
  clock.at = new Date(clock.at.getTime() + seconds * 1_000);
};
const releaseExpired = (body: object = {}) =>
  admin.call('POST', '/v1/wallets/maintenance/release-expired', body);

const workflowOf = ({ id }: Record<string, string>) => ({
  workflowId: `wallet-allocation-${id}`,
  taskQueue: 'processes',
  args: [id],
});

describe('the workflow of an allocation', () => {
  it('ends it at its expiry, days later', async () => {
    clock.at = new Date(await temporal.env.currentTimeMs());
    const held = await allocate({ ttlSeconds: 7 * 86_400 });
    const ended = await temporal.client.workflow.execute('walletAllocation', workflowOf(held));
    expect(ended).toBe('expired');
    expect([await statusOf(held), await endOf(held)]).toEqual(['quarantined', held['expiresAt']]);
    const again = createWalletActivities(api.services).advanceAllocation(held['id'] ?? '');
    expect(await again).toMatchObject({ status: 'expired', open: false });
    const { events } = await temporal.client.workflow.getHandle(workflowOf(held).workflowId).fetchHistory();
    expect(events?.length).toBeLessThan(30);
  });

  it('ends with a release', async () => {
    clock.at = new Date(await temporal.env.currentTimeMs());
    const held = await allocate({ ttlSeconds: 86_400 });
    const run = await temporal.client.workflow.start('walletAllocation', workflowOf(held));
    await client.call('POST', '/v1/wallets/release', { chain: 'local', address: held['address'] });
    await run.signal('look');
    expect(await run.result()).toBe('released');
    expect(await endOf(held)).not.toBe(held['expiresAt']);
  });

  it('is started again by the reconciler when Temporal has lost it', async () => {
    clock.at = new Date(await temporal.env.currentTimeMs());
    const held = await allocate({ ttlSeconds: 60 });
    const unending = await allocate();
    const stale = async () =>
      (await allocationProcesses.stale(api.database, clock.at, 10, [])).map(({ args }) => args[0]);
    expect(await stale()).not.toContain(held['id']);
    pass(61);
    expect(await stale()).toContain(held['id']);
    expect(await stale()).not.toContain(unending['id']);
    await createWalletActivities(api.services).advanceAllocation(held['id'] ?? '');
    expect(await stale()).not.toContain(held['id']);
  });
});

describe('maintenance of the pool', () => {
  it('ends expired allocations, returns rested wallets, and counts both', async () => {
    const chain = 'kept';
    await insertNetwork(api.database, { chain, chainId: 9 });
    const first = await allocate({ chain, ttlSeconds: 60 });
    const second = await allocate({ chain, ttlSeconds: 600 });
    const third = await allocate({ chain });
    const stats = async () =>
      (await admin.call('GET', '/v1/wallets/stats')).body.data.find(
        (each: { chain: string }) => each.chain === chain,
      );
    expect(await stats()).toEqual({
      chain,
      available: 0,
      allocated: 3,
      quarantined: 0,
      disabled: 0,
      total: 3,
    });
    pass(60);
    expect((await releaseExpired({ chain })).body).toEqual({ released: 1, returned: 0, more: false });
    expect((await releaseExpired({ chain })).body).toEqual({ released: 0, returned: 0, more: false });
    expect([await statusOf(first), await statusOf(second)]).toEqual(['quarantined', 'allocated']);
    expect(await stats()).toMatchObject({ allocated: 2, quarantined: 1 });
    pass(86_400);
    expect(await stats()).toMatchObject({ allocated: 2, available: 1 }); // by time alone, before it is stored
    expect((await releaseExpired({ chain })).body).toEqual({ released: 1, returned: 1, more: false });
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([
      'available',
      'quarantined',
      'allocated',
    ]);
    expect(await endOf(second)).toBe(second['expiresAt']); // the expiry, not the time of the maintenance
    expect((await releaseExpired({ chain: 'nowhere' })).body.field).toBe('chain');
  });

  it('also runs once an hour, and makes up for missed runs', async () => {
    const held = await allocate({ ttlSeconds: 60 });
    pass(60);
    const { releaseExpiredWallets } = createHousekeepingActivities(api.services);
    expect(await releaseExpiredWallets()).toBeGreaterThan(0);
    expect(await statusOf(held)).toBe('quarantined');
    expect(await releaseExpiredWallets()).toBe(0);
  });

  it('ends no allocation early whose workflow is overdue', async () => {
    const held = await allocate({ ttlSeconds: 60 });
    await api.database.query(
      `update wallet_allocations set due_by = due_by - interval '1 hour' where id = $1`,
      [held['id']],
    );
    expect((await releaseExpired()).body).toMatchObject({ released: 0 });
    expect(await statusOf(held)).toBe('allocated');
    pass(60);
    expect((await releaseExpired()).body).toMatchObject({ released: 1 });
    expect(await endOf(held)).toBe(held['expiresAt']);
  });

  it('ends each allocation once, beside releases and workflows', async () => {
    const held = await Promise.all(Array.from({ length: 12 }, () => allocate({ ttlSeconds: 60 })));
    pass(60);
    const { advanceAllocation } = createWalletActivities(api.services);
    const answers = await Promise.all([
      ...held.map(({ id }) => advanceAllocation(id ?? '')),
      ...held.map(({ address }) => client.call('POST', '/v1/wallets/release', { chain: 'local', address })),
      ...Array.from({ length: 4 }, () => releaseExpired()),
    ]);
    expect(answers.map((answer) => ('status' in answer ? answer.status : 0))).not.toContain(500);
    for (const each of held) {
      expect([await statusOf(each), await endOf(each)]).toEqual(['quarantined', each['expiresAt']]);
    }
  });
});
