import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setAdminLimit } from '../../support/operator';
import { gasDesk, SWEEPS } from './desk';
import { newHash, type TronWorld, tronWorld } from './support';

/** What is told, taken back and told again: by approvals that wait meanwhile, and across an upgrade. */
let world: TronWorld;
let desk: ReturnType<typeof gasDesk>;
let account: string;
beforeAll(async () => {
  world = await tronWorld();
  desk = gasDesk(world);
  account = await world.account();
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const available = async (): Promise<string> =>
  (await world.admin.call('GET', `/v2/accounts/${account}/balance`)).body.available;
const approve = (approval: string) => world.second('approval', 'approve', approval, '--json');
async function refused(approval: string): Promise<void> {
  const { code, err } = await approve(approval);
  expect([code, JSON.parse(err).code]).toEqual([4, 'invalid_transition']);
}

it('a deposit is recorded and taken back by an approval for that word alone that it was asked for', async () => {
  await setAdminLimit(world.api.database, '1000');
  const [address, before] = [await world.allocate(account), Number(await available())];
  const terms = { hash: newHash(), at: new Date().toISOString() };
  const record = async () => (await world.record(address, '5000', terms)).json().approval.id;
  const back = async (id: string) => (await world.takeBack(id)).json().approval.id;
  const [first, second] = [await record(), await record()];
  const { id } = (await approve(first)).json().result;
  const [wrong, stale] = [await back(id), await back(id)];
  expect((await approve(wrong)).code).toBe(0);
  await refused(second); // it was taken back since
  expect((await approve(await record())).json().result).toEqual({ id, status: 'credited' });
  await refused(stale);
  expect(Number(await available())).toBe(before + 5000);
  expect((await approve(await back(id))).code).toBe(0);
  expect(Number(await available())).toBe(before);
  await setAdminLimit(world.api.database, '1000000');
});

it('an operation is confirmed and taken back by an approval for that word alone that it was asked for', async () => {
  const { id } = await desk.swept('600');
  const [treasury, wrong, right] = [await desk.held('treasury'), newHash(), newHash()];
  await setAdminLimit(world.api.database, '500');
  const told = async (txHash: string) =>
    (
      await world.operator('gas-operation', 'confirm', id, '--hash', txHash, '--reason', 'seen', '--json')
    ).json().approval.id;
  const back = async () => (await desk.takeBack(id)).json().approval.id;
  const [first, again] = [await told(wrong), await told(wrong)];
  expect((await approve(first)).code).toBe(0);
  const [one, stale] = [await back(), await back()];
  expect((await approve(one)).code).toBe(0);
  await refused(again); // its word was taken back since
  expect((await approve(await told(right))).code).toBe(0);
  await refused(stale);
  expect(await desk.held('treasury')).toBe(treasury - 600);
  expect((await desk.get(`${SWEEPS}/${id}`)).txHash).toBe(right);
  expect((await approve(await back())).code).toBe(0);
  expect(await desk.held('treasury')).toBe(treasury);
  await setAdminLimit(world.api.database, '1000000');
});

it('a deposit that the release before has left waiting, though it was taken back, is looked at, and ends', async () => {
  const { database } = world.api;
  const { id } = (await world.record(await world.allocate(await world.account('EUR')), '10')).json();
  await world.takeBack(id);
  await database.query(`update transfers set status = 'confirming', failure = null where id = $1`, [id]);
  await database.query('update transfers set due_by = null where id = $1', [id]);
  await database.query(
    readFileSync(join(__dirname, '../../../src/kernel/db/migrations/0168_told_again.sql'), 'utf8'),
  );
  const due = await database.query(
    `select due_by <= now() as due from transfers where kind = 'chain_deposit' and due_by <= now() and id = $1`,
    [id],
  );
  expect(due).toEqual([{ due: true }]);
  expect(await world.look(id)).toBe('uncredited');
});
