/** @long */
import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../src/tenants/clients/authenticate';
import { findTenant } from '../../src/tenants/clients/store';
import { type TestDatabase, testDatabase } from '../support/database';
import { keyringIn, masterKeysText } from '../support/keyring';
import { anotherOperator, command, setLimits } from '../support/operator';

const masterKey = randomBytes(32);
let test: TestDatabase;
let [ida, bob] = [] as unknown as Record<string, string>[];
beforeAll(async () => {
  test = await testDatabase();
  const place = { DATABASE_URL: test.runtimeUrl, MASTER_KEYS: masterKeysText(masterKey) };
  ida = await anotherOperator(place, 'ida');
  bob = await anotherOperator(ida, 'bob');
});
beforeEach(() => setLimits(test.database, { dualControl: 'on' }));
afterAll(() => test.drop());

interface Asked {
  approval: { id: string; status: string; needs: number; changes: object[] };
  clientId: string;
  clientSecret: string;
}

async function json<T = any>(who: Record<string, string> | undefined, ...argv: string[]): Promise<T> {
  const { code, out, err } = await command(who ?? {}, ...argv, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as T;
}
const approve = (who: Record<string, string> | undefined, id: string) =>
  command(who ?? {}, 'approval', 'approve', id);
const created = (...more: string[]) => json<Asked>(ida, 'client', 'create', '--name', 'Acme', ...more);
const isAdmitted = async ({ clientId, clientSecret }: Pick<Asked, 'clientId' | 'clientSecret'>) =>
  typeof (await createAuthenticator(test.database, await keyringIn(test.database, masterKey))(
    clientId,
    clientSecret,
  )) === 'object';

describe('thresholds of a tenant', () => {
  async function settings(clientId: string, ...sets: string[]) {
    if (sets.length === 0) return (await json(ida, 'show', clientId)).record.settings;
    const given = sets.flatMap((set) => ['--set', set]);
    const changed = await json(ida, 'client', 'settings', clientId, ...given);
    return changed.settings ?? changed;
  }
  const list = (...amounts: [string, string][]) =>
    JSON.stringify(amounts.map(([currency, amount]) => ({ currency, amount })));
  const STANDARD: [string, string][] = [
    ['USD', '10000.00'],
    ['EUR', '10000.00'],
    ['GBP', '10000.00'],
  ];
  const DAILY = ['approvals.aboveDaily=500', 'approvals.currency=EUR'];
  const LISTS = ['payouts', 'externalCards.withdrawal', 'exchange.withdrawal'].map(
    (section) => `${section}.approvalAbove`,
  );

  it.each<[string[], string]>([
    ...LISTS.map((key): [string[], string] => [[], `${key}=${list(['USD', '10000.01'], ['EUR', '1'])}`]),
    ...LISTS.map((key): [string[], string] => [[], `${key}=${list(...STANDARD, ['CHF', '0.01'])}`]),
    [[], 'banking.payout.approvalAbove="10000.01"'],
    [DAILY, 'approvals.aboveDaily="501"'],
    [DAILY, 'approvals.aboveDaily=null'],
    [DAILY, 'approvals.currency=USD'],
  ])('after %p, %s takes two operators', async (first, set) => {
    const { clientId } = await created();
    if (first.length > 0) await settings(clientId, ...first);
    const before = await settings(clientId);
    const { approval } = await settings(clientId, set);
    const field = set.slice(0, set.indexOf('='));
    expect(approval).toMatchObject({
      kind: 'client.settings',
      subject: clientId,
      status: 'pending',
      needs: 1,
      amount: null,
      changes: [{ field, from: expect.any(String), to: set.slice(field.length + 1) }],
    });
    expect(await settings(clientId)).toEqual(before);
    const own = await approve(ida, approval.id);
    expect([own.code, own.err]).toEqual([4, expect.stringContaining('another operator')]);
    expect((await approve(bob, approval.id)).out).toBe(
      `${approval.id} is approved: client.settings of ${clientId} is done.`,
    );
    expect(await settings(clientId)).not.toEqual(before);
  });

  it.each<[string[], string]>([
    ...LISTS.map((key): [string[], string] => [[], `${key}=${list(['EUR', '10000'], ['USD', '0.00'])}`]),
    ...LISTS.map((key): [string[], string] => [[], `${key}=${list(...STANDARD, ['CHF', '0'])}`]),
    [[], 'banking.payout.approvalAbove="9999.99"'],
    [[], 'approvals.aboveDaily=500'],
    [DAILY, 'approvals.aboveDaily=499'],
    [[], 'rateLimit.perSecond=50'],
  ])('after %p, %s takes one', async (first, set) => {
    const { clientId } = await created();
    if (first.length > 0) await settings(clientId, ...first);
    const before = await settings(clientId);
    const after = await settings(clientId, set);
    expect(after).not.toHaveProperty('approval');
    expect(await settings(clientId)).toEqual(after);
    expect(after).not.toEqual(before);
  });

  it('include every setting whose name is a threshold for a person’s decision', async () => {
    const { clientId } = await created();
    const all = Object.entries(await settings(clientId)).flatMap(([section, value]) =>
      keysOf(section, value),
    );
    expect(all.filter((key) => /above/i.test(key)).sort()).toEqual(
      [...LISTS, 'approvals.aboveDaily', 'banking.payout.approvalAbove'].sort(),
    );
  });

  it('change only after approval of the whole command that raises one', async () => {
    const { clientId } = await created();
    const { approval } = await settings(clientId, 'kycReview=auto', 'banking.payout.approvalAbove="20000"');
    expect(await settings(clientId)).toMatchObject({ kycReview: 'manual' });
    expect((await approve(bob, approval.id)).code).toBe(0);
    expect(await settings(clientId)).toMatchObject({
      kycReview: 'auto',
      banking: { payout: { approvalAbove: '20000' } },
    });
  });

  it('keep a setting that another operator has changed meanwhile', async () => {
    const { clientId } = await created();
    const { approval } = await settings(clientId, 'banking.payout.approvalAbove="20000"');
    await settings(clientId, 'banking.payout.approvalAbove="10"', 'kycReview=auto');
    const refused = await approve(bob, approval.id);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('banking.payout.approvalAbove')]);
    const { approval: other } = await settings(clientId, 'banking.payout.approvalAbove="30"');
    await settings(clientId, 'kycReview=manual');
    expect((await approve(bob, other.id)).code).toBe(0);
    expect(await settings(clientId)).toMatchObject({
      kycReview: 'manual',
      banking: { payout: { approvalAbove: '30' } },
    });
  });

  it('lose no change when several arrive together', async () => {
    const { clientId } = await created();
    const sets = [
      'kycReview=auto',
      'cardholderReview=manual',
      'kycOnChange=resubmit',
      'exchange.spreadBps=7',
    ];
    await Promise.all(sets.map((set) => settings(clientId, set)));
    expect(await settings(clientId)).toMatchObject({
      kycReview: 'auto',
      cardholderReview: 'manual',
      kycOnChange: 'resubmit',
      exchange: { spreadBps: 7 },
    });
  });

  it('take effect at once while dual control is off', async () => {
    await setLimits(test.database, { dualControl: 'off' });
    const { clientId } = await created();
    expect(await settings(clientId, 'banking.payout.approvalAbove="20000"')).toMatchObject({
      banking: { payout: { approvalAbove: '20000' } },
    });
  });
});

const keysOf = (path: string, value: unknown): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, inner]) => keysOf(`${path}.${name}`, inner))
    : [path];

describe('an admin credential', () => {
  const rows = (subject: string) =>
    test.database.query('select row_to_json(a)::text as text from audit_log a where subject = $1', [subject]);

  it('is invalid until another operator approves it, who never sees its secret', async () => {
    const asked = await created('--role', 'admin', '--reason', 'the new office');
    const { approval, clientId, clientSecret } = asked;
    expect(approval).toMatchObject({
      kind: 'client.create',
      subject: 'installation',
      status: 'pending',
      needs: 1,
      reason: 'the new office',
      changes: [
        { field: 'role', from: null, to: 'admin' },
        { field: 'name', from: null, to: 'Acme' },
        { field: 'belongs to', from: null, to: 'operator:ida' },
      ],
    });
    expect(await findTenant(test.database, clientId)).toBeUndefined();
    expect(await isAdmitted(asked)).toBe(false);
    expect((await approve(ida, approval.id)).code).toBe(4);
    const listed = await command(bob ?? {}, 'approval', 'list');
    expect(listed.out).toContain('role: none -> admin; name: none -> Acme');
    const approved = await json(bob, 'approval', 'approve', approval.id);
    expect(approved).toMatchObject({ approval: { status: 'approved', decidedBy: 'operator:bob' } });
    expect(await isAdmitted(asked)).toBe(true);
    expect(await findTenant(test.database, clientId)).toMatchObject({ role: 'admin', name: 'Acme' });
    const all = await command(bob ?? {}, 'approval', 'list', '--all', '--json');
    const told = JSON.stringify([approved, all.out, await rows(clientId), await rows(approval.id)]);
    expect(told).toContain(clientId);
    expect(told).not.toContain(clientSecret);
  });

  it('is not created when it is rejected', async () => {
    const asked = await created('--role', 'admin');
    const { code } = await command(bob ?? {}, 'approval', 'reject', asked.approval.id, '--reason', 'who?');
    expect(code).toBe(0);
    expect((await approve(bob, asked.approval.id)).code).toBe(4);
    expect(await isAdmitted(asked)).toBe(false);
  });

  it('needs two operators for a new secret, and one to be ended', async () => {
    const asked = await created('--role', 'admin');
    await approve(bob, asked.approval.id);
    const { clientId } = asked;
    const rotated = await json<Asked>(ida, 'client', 'rotate-secret', clientId, '--overlap-seconds', '0');
    expect(rotated).toMatchObject({ clientId, approval: { kind: 'client.rotate-secret', needs: 1 } });
    expect([await isAdmitted(asked), await isAdmitted(rotated)]).toEqual([true, false]);
    expect((await approve(ida, rotated.approval.id)).code).toBe(4);
    expect(await json(ida, 'client', 'revoke', clientId, '--all')).toMatchObject({ live: 0 });
    const approved = await command(bob ?? {}, 'approval', 'approve', rotated.approval.id, '--json');
    expect(JSON.parse(approved.out)).toMatchObject({ result: { clientId, overlapEndsAt: null } });
    expect(approved.out).not.toContain(rotated.clientSecret);
    expect([await isAdmitted(asked), await isAdmitted(rotated)]).toEqual([false, true]);
  });

  it('prints the waiting approval and the secret once', async () => {
    const asked = await command(ida ?? {}, 'client', 'create', '--name', 'Acme', '--role', 'admin');
    expect(asked.out).toMatch(/clientId +cli_\w+\nclientSecret +\S+\n/);
    expect(asked.out).toMatch(/takes two: .*"approval approve apr_\w+"/);
  });

  it('of a client needs one operator', async () => {
    const made = await created();
    expect(await isAdmitted(made)).toBe(true);
    const rotated = await json<Asked>(ida, 'client', 'rotate-secret', made.clientId);
    expect(await isAdmitted(rotated)).toBe(true);
  });

  it('needs one operator while dual control is off', async () => {
    await setLimits(test.database, { dualControl: 'off' });
    const made = await created('--role', 'admin');
    expect(await isAdmitted(made)).toBe(true);
    expect(await isAdmitted(await json<Asked>(ida, 'client', 'rotate-secret', made.clientId))).toBe(true);
  });
});
