/** @long */
import { expireNow } from '../../../src/chain/gas-station/operations/lifecycle/expire-now';
import { masterAccount } from '../../support/cards';
import { command, operatorEnvironment } from '../../support/operator';
import { changedSince, databaseFingerprint } from './database-fingerprint';
import { byHand, OPERATIONS, TOPUPS } from './operations/by-person/decisions';
import { type NodeDouble, nodeDouble } from './operations/nodes/node-double';
import { execute, posted, type TestStation, testStation } from './operations/support';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let world: TestStation;
let double: NodeDouble;
let at = Date.now();
beforeAll(async () => {
  const nodes = async (url: string) => [(double = await nodeDouble(() => url)).url];
  world = await testStation({ nodes, wiring: { now: () => new Date(at) } });
});
beforeEach(() => {
  at = Date.now();
});
afterAll(async () => {
  await world.close();
  await double.close();
});
const { exported, confirm } = byHand(() => world);
const fail = (path: string, id: string) => world.admin.call('POST', `${path}/${id}/fail`, { reason: 'test' });

async function swept() {
  const [wallet] = await world.wallets(1, 5_000_000n, '0.01');
  return world.sweep(wallet!.id);
}
async function toppedUp() {
  const [wallet] = await world.wallets(1, 1n);
  return world.topup(wallet!.id);
}
const executed = async (path: string, id: string) =>
  execute(world, (await exported(path, id)).transactions[0]);

describe('expiry of an operation', () => {
  it.each([
    ['sweep', OPERATIONS, swept],
    ['top-up', TOPUPS, toppedUp],
  ])('a %s expires after exactly one day', async (_, path, make) => {
    const { id, createdAt, expiresAt } = await make();
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(DAY_MS);
    await exported(path, id);
    const open = { status: 'awaiting_confirmation', open: true };
    for (const before of [DAY_MS / 2, 1_000, 1]) {
      at = Date.parse(expiresAt) - before;
      expect(await world.advance(id)).toMatchObject(open);
    }
    at = Date.parse(expiresAt);
    expect(await world.advance(id)).toEqual({ status: 'expired', open: false, lookAt: null });
    expect(await world.read(id)).toMatchObject({ status: 'expired', expiresAt });
  });

  it('a tester can expire an operation at once, only in the sandbox', async () => {
    const operator = await operatorEnvironment(world.services.database);
    const { id } = await swept();
    const live = { ...world.services, mode: 'live' as const };
    await expect(world.services.database.transaction((tx) => expireNow(live, tx, id))).rejects.toThrow(
      'Only the sandbox',
    );
    expect((await world.read(id)).status).toBe('pending');
    const { code, out } = await command(operator, 'gas-operation', 'expire', id, '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { id, expiresAt: expect.any(String) }]);
    at = Date.now() + 1_000;
    expect(await world.advance(id)).toMatchObject({ status: 'expired', open: false });
    const twice = await command(operator, 'gas-operation', 'expire', id);
    expect([twice.code, twice.err]).toEqual([4, expect.stringContaining('expired')]);
  });

  it('a late execution is refused while it is shallow, and booked once it is final', async () => {
    const { id, expiresAt } = await swept();
    const { transactions } = await exported(OPERATIONS, id);
    at = Date.parse(expiresAt);
    await world.advance(id);
    at = Date.now();
    await world.configure({ sweepConfirmations: 3 });
    const hash = await execute(world, transactions[0]);
    const kept = await databaseFingerprint(world.api.database);
    const early = await confirm(OPERATIONS, id, hash);
    expect([early.status, early.body]).toMatchObject([
      409,
      { code: 'invalid_transition', field: 'txHash', message: expect.stringContaining('repeat this later') },
    ]);
    expect(await changedSince(world.api.database, kept)).toEqual([]);
    await world.chain.client.mine({ blocks: 2 });
    const late = await confirm(OPERATIONS, id, hash);
    expect([late.status, late.body]).toMatchObject([200, { status: 'expired', movedAmount: '5.000000' }]);
    await world.configure({});
  });
});

describe('lists of operations', () => {
  it('combine filters by creation time and status', async () => {
    const begun = new Date(at).toISOString();
    const completed = await swept();
    const hash = await executed(OPERATIONS, completed.id);
    expect((await confirm(OPERATIONS, completed.id, hash)).body.status).toBe('completed');
    at += HOUR_MS;
    const failed = await swept();
    await fail(OPERATIONS, failed.id);
    at += HOUR_MS;
    const pending = await swept();
    at += HOUR_MS;
    const given = await toppedUp();
    await exported(TOPUPS, given.id);

    const names = new Map(
      Object.entries({ completed, failed, pending, given }).map(([name, { id }]) => [id, name]),
    );
    const listed = async (path: string, query: Record<string, string>) => {
      const search = new URLSearchParams({ limit: '100', ...query }).toString();
      const { status, body } = await world.admin.call('GET', `${path}?${search}`);
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => names.get(id));
    };
    const history = `${OPERATIONS}/history`;
    const [second, third, fourth] = [failed, pending, given].map(({ createdAt }) => createdAt);
    expect(await listed(history, { from: begun })).toEqual(['given', 'pending', 'failed', 'completed']);
    expect(await listed(history, { from: second })).toEqual(['given', 'pending', 'failed']);
    expect(await listed(history, { from: begun, to: third })).toEqual(['failed', 'completed']);
    expect(await listed(history, { from: second, to: third })).toEqual(['failed']);
    expect(await listed(history, { from: third, to: third })).toEqual([]);
    for (const [status, found] of Object.entries({ completed, failed, pending }))
      expect(await listed(history, { from: begun, status })).toEqual([names.get(found.id)]);
    expect(await listed(history, { from: third, status: 'failed' })).toEqual([]);
    expect(await listed(OPERATIONS, { from: begun })).toEqual(['given', 'pending']);
    expect(await listed(OPERATIONS, { from: begun, to: fourth })).toEqual(['pending']);
    expect(await listed(OPERATIONS, { from: begun, status: 'awaiting_confirmation' })).toEqual(['given']);
    expect(await listed(OPERATIONS, { from: begun, status: 'completed' })).toEqual([]);
    await fail(TOPUPS, given.id);
    for (const [field, word] of Object.entries({ status: 'done', from: 'yesterday', to: '2026-13-01' })) {
      const { status, body } = await world.admin.call('GET', `${history}?${field}=${word}`);
      expect([status, body.field]).toEqual([400, field]);
    }
  });
});

it('answers 503 to every request while the chain is away, and records nothing', async () => {
  const [empty, full] = [(await world.wallets(1, 1n))[0]!, (await world.wallets(1, 5_000_000n, '0.01'))[0]!];
  const [sweep, topup, sweepAtWork, topupAtWork] = [
    await swept(),
    await toppedUp(),
    await swept(),
    await toppedUp(),
  ];
  await world.configure({ sweepConfirmations: 9 });
  const hashes = {
    [sweepAtWork.id]: await executed(OPERATIONS, sweepAtWork.id),
    [topupAtWork.id]: await executed(TOPUPS, topupAtWork.id),
  };
  for (const [path, { id }] of [
    [OPERATIONS, sweepAtWork],
    [TOPUPS, topupAtWork],
  ] as const)
    expect((await confirm(path, id, hashes[id]!)).body).toMatchObject({ status: 'confirming' });
  const reason = { reason: 'test' };
  const asked: [string, string, object?][] = [
    ['GET', `/v1/gas-station/sweep-preflight/${full.id}?asset=USDT`],
    ['POST', OPERATIONS, { walletId: full.id, asset: 'USDT' }],
    ['POST', TOPUPS, { walletId: empty.id }],
    ['GET', `${OPERATIONS}/${sweep.id}/export`],
    ['GET', `${TOPUPS}/${topup.id}/export`],
    ['POST', `${OPERATIONS}/${sweep.id}/confirm`, { txHash: hashes[sweepAtWork.id] }],
    ['POST', `${TOPUPS}/${topup.id}/confirm`, { txHash: hashes[topupAtWork.id] }],
    ['POST', `${OPERATIONS}/${sweepAtWork.id}/fail`, reason],
    ['POST', `${TOPUPS}/${topupAtWork.id}/fail`, reason],
  ];
  const kept = await databaseFingerprint(world.api.database);
  double.away(true);
  for (const [place, [method, path, body]] of asked.entries()) {
    const key = { 'x-idempotency-key': `away-${place}` };
    const { status, body: answer, headers } = await world.admin.call(method, path, body, key);
    expect([path, status, answer.code, headers.get('retry-after')]).toEqual([
      path,
      503,
      'unavailable',
      expect.stringMatching(/^\d+$/),
    ]);
    expect(JSON.stringify(answer)).not.toContain(new URL(double.url).host);
  }
  double.away(false);
  expect(await changedSince(world.api.database, kept)).toEqual([]);
  // A person can fail an operation without the chain before anything was executed.
  double.away(true);
  expect((await fail(OPERATIONS, sweep.id)).status).toBe(200);
  double.away(false);
  const again = asked.map(async ([method, path, body], place) => {
    if (path.includes(sweep.id)) return 200;
    return (await world.admin.call(method, path, body, { 'x-idempotency-key': `away-${place}` })).status;
  });
  expect(await Promise.all(again)).toEqual([200, 201, 201, 200, 200, 200, 409, 409, 409]);
  expect((await fail(TOPUPS, topup.id)).status).toBe(200); // frees its nonce
  await world.configure({});
});

describe('the audit log', () => {
  interface Line {
    action: string;
    actor: string;
    tenant_id: string | null;
    subject: string;
    before: unknown;
    after: unknown;
  }
  async function written(work: () => Promise<unknown>): Promise<Line[]> {
    const [last] = await world.services.database.query<{ id: string }>(
      'select coalesce(max(id), 0) as id from audit_log',
    );
    await work();
    return world.services.database.query<Line>(
      'select action, actor, tenant_id, subject, before, after from audit_log where id > $1 order by id',
      [last!.id],
    );
  }
  const line = (action: string, subject: unknown, rest: Partial<Line> = {}) => ({
    action,
    actor: world.admin.clientId,
    tenant_id: null,
    subject,
    before: null,
    after: null,
    ...rest,
  });

  it('records who created, exported, confirmed or failed an operation, with before and after', async () => {
    const [one, two] = [await swept(), await toppedUp()];
    const shown = { status: 'pending', txHash: null, waitsFor: null, failureReason: null };
    const awaiting = { ...shown, status: 'awaiting_confirmation' };
    const failed = { ...shown, status: 'failed', failureReason: 'test' };
    expect(await written(() => fail(OPERATIONS, one.id))).toEqual([
      line('gas-station.operation.fail', one.id, { before: shown, after: failed }),
    ]);
    let third = '';
    const made = await written(async () => {
      third = (await toppedUp()).id;
    });
    expect(made.at(-1)).toEqual(line('gas-station.topup-operation.create', third, { after: shown }));
    expect(await written(() => exported(TOPUPS, two.id))).toEqual([
      line('gas-station.topup-operation.export', two.id, { before: shown, after: awaiting }),
    ]);
    const txHash = await executed(TOPUPS, two.id);
    expect(await written(() => confirm(TOPUPS, two.id, txHash))).toEqual([
      line('gas-station.topup-operation.confirm', two.id, {
        before: awaiting,
        after: { ...awaiting, status: 'completed', txHash },
      }),
    ]);
    expect(await written(() => fail(TOPUPS, third))).toEqual([
      line('gas-station.topup-operation.fail', third, { before: shown, after: failed }),
    ]);
    expect(await written(() => fail(TOPUPS, third))).toEqual([]); // refused
  });

  it('records created wallets and stations, and the replaced station', async () => {
    let made: { id: string }[] = [];
    const generated = await written(async () => {
      made = (await posted(world.admin, '/v1/gas-station/generate', { chain: 'local', count: 2 })).data;
    });
    const wallets = made.map(({ id }) => id);
    expect(generated).toEqual([line('gas-station.generate', 'local', { after: { wallets } })]);
    let station: { id: string } | undefined;
    const stations = await written(async () => {
      station = await posted(world.admin, '/v1/gas-station/wallet/generate', { chain: 'local' });
    });
    expect(stations).toEqual([
      line('gas-station.wallet.generate', 'local', {
        before: expect.objectContaining({ address: world.station }),
        after: expect.objectContaining({ address: world.station, generated: station!.id }),
      }),
    ]);
  });

  it('records what an admin does for a company under that company, and not what the company does itself', async () => {
    const client = await world.api.client();
    const accountId = await masterAccount(client);
    const asked = (reference: string) => ({
      chain: 'local',
      asset: 'USDT',
      accountId,
      reference,
      ttlSeconds: 3_600,
    });
    const of = { tenant_id: client.clientId };
    at -= 2_000; // blocks count seconds
    expect(await written(() => posted(client, '/v1/wallets/allocate', asked('own')))).toEqual([]);
    let held = { id: '', address: '' };
    const allocated = await written(async () => {
      held = await posted(world.admin, '/v1/wallets/allocate', asked('theirs'));
    });
    const { address } = held;
    expect(allocated).toEqual([
      line('wallets.allocate', held.id, { ...of, after: { chain: 'local', address, accountId } }),
    ]);
    // A repeat changes nothing, and is noted as what an admin asked for.
    expect(await written(() => posted(world.admin, '/v1/wallets/allocate', asked('theirs')))).toMatchObject([
      { action: 'allocateWallet', after: { fields: expect.any(Array) } },
    ]);
    const txHash = await world.chain.pay(world.token, address, 3_000_000n);
    const claim = (by: typeof client) =>
      posted(by, '/v1/wallets/deposit', { chain: 'local', address, txHash });
    let deposit = { id: '' };
    const claimed = await written(async () => {
      deposit = await claim(world.admin);
    });
    expect(claimed).toEqual([
      line('wallets.deposit', deposit.id, { ...of, after: { status: 'confirming' } }),
    ]);
    expect(await written(() => claim(client))).toEqual([]);
    at += HOUR_MS;
    const path = '/v1/wallets/maintenance/release-expired';
    expect(await written(() => posted(world.admin, path, { chain: 'local' }))).toEqual([
      line('wallets.release-expired', 'local', { after: { released: 2, returned: 0, more: false } }),
    ]);
  });
});
