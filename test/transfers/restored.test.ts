/** @long */
import { checkLedger } from '../../src/kernel/ledger/check';
import { accountBalance } from '../cards/cards/support';
import type { Client } from '../support/api';
import { anotherOperator, command, dayGoesBy, operatorEnvironment, setAdminLimit } from '../support/operator';
import {
  completed,
  type DepositWorld,
  depositWorld,
  look,
  openBreaks,
  read,
  type TestDeposit,
} from './deposits/support';

/** A party that was restored from a backup has lower versions. An operator makes the product follow them. */

let world: DepositWorld;
let environment: Record<string, string>;
let second: Record<string, string>;
beforeAll(async () => {
  world = await depositWorld();
  environment = await operatorEnvironment(world.api.database);
  second = await anotherOperator(environment, 'bob');
});
beforeEach(async () => {
  world.client = await world.api.client();
  await setAdminLimit(world.api.database, '1000000');
  await dayGoesBy(world.api.database);
});
afterEach(async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
  const resolved = `resolved_at = now(), resolved_by = 'test', note = 'a test'`;
  await world.api.database.query(`update breaks set ${resolved} where resolved_at is null`);
});
afterAll(() => world.close());

const operator = (...argv: string[]) => command(environment, ...argv);
const REASON = ['--reason', 'restored from a copy of last night'];
const follow = ({ id }: TestDeposit) => operator('transfer', 'follow-version', id, ...REASON);
const preview = async (party = 'checkout') =>
  JSON.parse((await operator('restored', 'list', '--party', party, '--json')).out);
const stands = async (deposit: Paid) => [
  (await read(deposit.client, deposit)).status,
  await accountBalance(deposit.client, deposit.accountId),
  await openBreaks(world, deposit.id),
];

type Paid = Awaited<ReturnType<typeof completed>> & { client: Client };

/** A deposit that was credited by version 5. The restored party has version 3, and then refunds 40.00 by itself. */
async function restored(): Promise<Paid> {
  world.client = await world.api.client();
  const deposit = { ...(await completed(world)), client: world.client };
  deposit.session.version = 5;
  await look(world, deposit.id);
  deposit.session.version = 3;
  deposit.session.refunds.push({ id: `re_${deposit.id}`, amount: '40.00', status: 'succeeded' });
  await look(world, deposit.id);
  expect(await stands(deposit)).toEqual(['completed', '96.80 0.00', ['party_version_fell']]);
  return deposit;
}

const FOLLOWED = ['completed', '58.08 0.00', ['deposit_refund_not_ours 40.00']];

describe('a transfer', () => {
  it('follows its party again, with the dropped word and later ones', async () => {
    const deposit = await restored();
    expect(await follow(deposit)).toMatchObject({ code: 0, out: `${deposit.id} is completed.` });
    expect(await stands(deposit)).toEqual(FOLLOWED);
    await look(world, deposit.id);
    expect(await stands(deposit)).toEqual(FOLLOWED);
    const [refund] = deposit.session.refunds;
    Object.assign(refund ?? {}, { amount: '50.00' });
    deposit.session.version = 4;
    await look(world, deposit.id);
    expect((await stands(deposit))[1]).toBe('48.40 0.00');
    // From there on lower versions are dropped again.
    deposit.session.version = 2;
    await look(world, deposit.id);
    expect((await stands(deposit))[2]).toContain('party_version_fell');
    const decisions = await world.api.database.query(
      `select kind, data->>'known' as known, data->>'told' as told, decided_by from transfer_decisions
        where transfer_id = $1 and kind <> 'credit'`,
      [deposit.id],
    );
    expect(decisions).toEqual([
      { kind: 'follow_version', known: '5', told: '3', decided_by: 'operator:ida' },
    ]);
  });

  it('cannot follow without a dropped word or by somebody who is no operator', async () => {
    const deposit = await completed(world);
    expect(await follow(deposit)).toMatchObject({ code: 4 });
    expect((await operator('transfer', 'follow-version', 'dep_none', ...REASON)).code).toBe(3);
    expect((await operator('transfer', 'follow-version', deposit.id)).code).toBe(2);
    const { OPERATOR_SECRET: _, ...nobody } = environment;
    expect((await command(nobody, 'transfer', 'follow-version', deposit.id, ...REASON)).code).not.toBe(0);
  });

  it('needs two operators above the limit, who approve one exact word', async () => {
    await setAdminLimit(world.api.database, '10.00');
    const deposit = await restored();
    const [one, other] = [await follow(deposit), await follow(deposit)];
    expect(one.out).toContain('takes two');
    deposit.session.version = 4;
    deposit.session.refunds.push({ id: `re_2_${deposit.id}`, amount: '10.00', status: 'succeeded' });
    await look(world, deposit.id);
    expect(await approved(one)).toMatchObject({
      code: 4,
      err: expect.stringContaining('It has changed since (told'),
    });
    expect((await stands(deposit))[1]).toBe('96.80 0.00');
    expect((await approved(other)).code).toBe(4);
    expect((await approved(await follow(deposit))).code).toBe(0);
    expect((await stands(deposit))[1]).toBe('48.40 0.00');
  });
});

const approved = ({ out }: { out: string }, by = second) =>
  command(by, 'approval', 'approve', /apr_\w+/.exec(out)?.[0] ?? '');

describe('a whole party', () => {
  it('has a preview, and always needs two operators', async () => {
    const deposits = [await restored(), await restored()];
    const shown = await preview();
    expect(shown).toHaveLength(2);
    const one = shown.find(({ id }: { id: string }) => id === deposits[0]?.id);
    expect(one).toMatchObject({ known: 5, told: 3, status: 'completed', becomes: 'completed' });
    expect(one.moves).toContain('refunded 38.72 USD');
    const first = JSON.parse((await operator('desk', 'list', 'restored', '--limit', '1', '--json')).out);
    const rest = await operator('desk', 'list', 'restored', '--after', first.next, '--json');
    expect([...first.items, ...JSON.parse(rest.out).items]).toEqual(shown);
    expect(await preview('payouts')).toEqual([]);
    for (const deposit of deposits) expect((await stands(deposit))[1]).toBe('96.80 0.00');
    const asked = await operator('party', 'follow-versions', 'checkout', ...REASON);
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('takes two')]);
    expect((await approved(asked, environment)).code).toBe(4); // the requesting operator
    for (const deposit of deposits) expect((await stands(deposit))[1]).toBe('96.80 0.00');
    expect((await approved(asked)).code).toBe(0);
    for (const deposit of deposits) expect(await stands(deposit)).toEqual(FOLLOWED);
    expect(await preview()).toEqual([]);
    expect((await operator('party', 'follow-versions', 'checkout', ...REASON)).code).toBe(4);
    expect((await operator('restored', 'list', '--party', 'nobody')).code).toBe(2);
  });

  it('changes only transfers that are as in the preview', async () => {
    const [same, changed] = [await restored(), await restored()];
    const asked = await operator('party', 'follow-versions', 'checkout', ...REASON);
    changed.session.version = 4;
    changed.session.refunds.push({ id: `re_2_${changed.id}`, amount: '10.00', status: 'succeeded' });
    await look(world, changed.id);
    const later = await restored();
    expect((await approved(asked)).code).toBe(0);
    expect(await stands(same)).toEqual(FOLLOWED);
    for (const each of [changed, later]) expect((await stands(each))[1]).toBe('96.80 0.00');
    expect((await preview()).map(({ id }: { id: string }) => id).sort()).toEqual(
      [changed.id, later.id].sort(),
    );
  });
});
