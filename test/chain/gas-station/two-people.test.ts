import { randomBytes } from 'node:crypto';
import { orderAutoSweeps } from '../../../src/chain/gas-station/auto-sweep';
import { openBreaksOf } from '../../../src/process/breaks/operations';
import { testKeyring } from '../../support/keyring';
import { operatorOf, setLimits, type TestOperator } from '../../support/operator';
import { type GasWorld, gasWorld, TERMS, TREASURY } from './support';

const masterKey = randomBytes(32);
const DAY_MS = 24 * 3_600_000;
let world: GasWorld;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
/** Offset of the processes' clock. */
let [aheadMs] = [0];

beforeAll(async () => {
  world = await gasWorld({
    wiring: { keyring: testKeyring(masterKey), now: () => new Date(Date.now() + aheadMs) },
  });
  ida = await operatorOf(world.api, masterKey, {}, 'ida');
  bob = await operatorOf(world.api, masterKey, {}, 'bob');
  await setLimits(world.api.database, { dualControl: 'on' });
});
afterAll(() => world.close());

const PATH = '/v1/gas-station/config/local';
const THIEF = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const AUTO = { autoSweep: true, maxGasPrice: '100', dailyGasBudget: '1' };
const read = async () => (await world.admin.call('GET', PATH)).body;
const put = async (body: object) =>
  world.admin.call('PUT', PATH, { ...body, version: (await read()).version });
const ordered = () => orderAutoSweeps(world.api.services);
const approve = (by: TestOperator, id: string) => by('approval', 'approve', id, '--json');

async function paidWallet() {
  const wallet = await world.wallet();
  await world.chain.pay(world.token, wallet.address, 9_000_000n);
  return wallet;
}

it('moves nothing to a treasury that one admin secret names', async () => {
  const { id: walletId } = await paidWallet();
  await world.configure({ treasuryAddress: null });
  const before = await read();
  const { status, body } = await put({ ...TERMS, ...AUTO, treasuryAddress: THIEF });
  const asked = {
    approvalId: body.approvalId,
    requestedBy: world.admin.clientId,
    requestedAt: expect.any(String),
    needs: 2,
    changes: expect.any(Array),
  };
  expect([status, body]).toEqual([202, { ...before, approvalId: expect.any(String), pending: [asked] }]);
  // What two people decide comes first, then all else that the request changes.
  expect(body.pending[0].changes).toEqual([
    { field: 'treasuryAddress', from: null, to: THIEF },
    { field: 'autoSweep', from: 'false', to: 'true' },
    { field: 'maxGasPrice', from: null, to: '100' },
    { field: 'dailyGasBudget', from: null, to: '1' },
  ]);
  expect(await read()).toEqual({ ...before, pending: [asked] });
  expect(await ordered()).toBe(0);
  const sweep = await world.admin.call('POST', '/v1/gas-station/operations', { walletId, asset: 'USDT' });
  expect([sweep.status, sweep.body.code]).toEqual([409, 'invalid_transition']);
  const listed = await ida('approval', 'list');
  expect(listed.text).toContain(`treasuryAddress: none -> ${THIEF}; autoSweep: false -> true`);
  expect((await ida('desk', 'list', 'approvals')).text).toContain(THIEF);
  expect((await ida('approval', 'reject', body.approvalId, '--reason', 'a thief')).code).toBe(0);
  expect(await read()).toEqual(before);
});

it('needs two different operators, and the treasury takes effect a day later', async () => {
  const { body } = await put({ ...TERMS, ...AUTO });
  const first = await approve(ida, body.approvalId);
  expect(first.json()).toMatchObject({ approval: { status: 'pending', firstBy: 'operator:ida' } });
  expect(await read()).toMatchObject({ version: 1, autoSweep: false });
  const again = await approve(ida, body.approvalId);
  expect([again.code, again.err]).toEqual([4, expect.stringContaining('another operator')]);
  expect((await approve(bob, body.approvalId)).json()).toMatchObject({
    approval: { status: 'approved', firstBy: 'operator:ida', decidedBy: 'operator:bob' },
  });
  const after = await read();
  expect(after).toMatchObject({
    version: 2,
    autoSweep: true,
    nextTreasury: { address: TREASURY },
  });
  expect(after).not.toHaveProperty('treasuryAddress');
  const lead = new Date(after.nextTreasury.effectiveFrom).getTime() - Date.now();
  expect(lead).toBeGreaterThan(DAY_MS - 600_000);
  expect(lead).toBeLessThanOrEqual(DAY_MS);
  expect(await ordered()).toBe(0);
  aheadMs = DAY_MS - 1_000_000;
  await ordered();
  expect(await read()).not.toHaveProperty('treasuryAddress');
  aheadMs = DAY_MS + 1_000_000;
  await ordered();
  const inForce = await read();
  expect(inForce).toMatchObject({ treasuryAddress: TREASURY, version: 3 });
  expect(inForce).not.toHaveProperty('nextTreasury');
});

it('pauses automatic sweeps until the new treasury takes effect', async () => {
  aheadMs = 0;
  await approved({ treasuryAddress: THIEF });
  expect(await read()).toMatchObject({ treasuryAddress: TREASURY, nextTreasury: { address: THIEF } });
  await paidWallet();
  expect(await ordered()).toBe(0);
  // What GET shows can be sent back, and keeps the waiting treasury.
  const shown = await read();
  expect(await world.admin.call('PUT', PATH, shown)).toMatchObject({
    status: 200,
    body: { treasuryAddress: TREASURY, nextTreasury: { address: THIEF } },
  });
  const station = await world.admin.call('PUT', '/v1/gas-station/wallet', { chain: 'local', address: THIEF });
  expect([station.status, station.body.field]).toEqual([400, 'address']);
  aheadMs = DAY_MS + 1_000_000;
  await ordered();
  expect(await read()).toMatchObject({ treasuryAddress: THIEF });
  const shownBreaks = await openBreaksOf(world.api.database, 'chain:local');
  expect(shownBreaks.map(({ kind }) => kind)).toContain('gas_treasury_changed');
});

it('lets one person switch off, and change terms that move no money elsewhere', async () => {
  expect(await put({ autoSweep: false, gasThreshold: '0.002' })).toMatchObject({
    status: 200,
    body: { autoSweep: false },
  });
  expect((await put({ autoSweep: true })).status).toBe(202);
  expect((await put({ treasuryAddress: null })).body).not.toHaveProperty('treasuryAddress');
});

it('does not carry out a change of another version', async () => {
  const { body } = await put({ autoSweep: true });
  await put({ gasThreshold: '0.003' });
  await approve(ida, body.approvalId);
  const refused = await approve(bob, body.approvalId);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('version')]);
  expect(await read()).toMatchObject({ autoSweep: false });
});

it('does not count the approval of an operator who was disabled since', async () => {
  const eve = await operatorOf(world.api, masterKey, {}, 'eve');
  const { body } = await put({ autoSweep: true });
  expect((await approve(eve, body.approvalId)).code).toBe(0);
  expect((await ida('operator', 'disable', 'eve', '--reason', 'has left')).code).toBe(0);
  const refused = await approve(bob, body.approvalId);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('eve has been disabled since')]);
  expect(await read()).toMatchObject({ autoSweep: false });
  expect((await bob('approval', 'reject', body.approvalId, '--reason', 'asked again')).code).toBe(0);
});

it('can be asked for at the desk, where one other operator approves it', async () => {
  const asked = ['gas-station', 'config', 'local', '--auto-sweep', '--reason', 'the caps are set', '--json'];
  const { approval } = (await ida(...asked)).json();
  expect(approval).toMatchObject({
    subject: 'local',
    needs: 1,
    changes: [{ field: 'autoSweep', to: 'true' }],
  });
  expect((await approve(ida, approval.id)).code).toBe(4);
  expect((await approve(bob, approval.id)).json().result).toMatchObject({ autoSweep: true });
  const off = ['gas-station', 'config', 'local', '--no-auto-sweep', '--reason', 'gas is dear', '--json'];
  expect((await ida(...off)).json()).toMatchObject({ autoSweep: false });
});

it('takes effect at once without dual control', async () => {
  await setLimits(world.api.database, { dualControl: 'off' });
  expect(await put({ treasuryAddress: TREASURY, autoSweep: true })).toMatchObject({
    status: 200,
    body: { treasuryAddress: TREASURY, autoSweep: true },
  });
  await setLimits(world.api.database, { dualControl: 'on' });
});

/** Requests a change, and has two operators approve it. */
async function approved(terms: object): Promise<void> {
  const { body } = await put(terms);
  for (const by of [ida, bob]) expect((await approve(by, body.approvalId)).code).toBe(0);
}
