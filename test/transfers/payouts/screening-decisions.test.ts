/** @long */
import { randomBytes } from 'node:crypto';
import { createHousekeepingActivities } from '../../../activities/housekeeping';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { screeningLeftOut } from '../../../src/parties/screening/left-out';
import { setUserStatus } from '../../../src/people/users/operations';
import { setClientStatus } from '../../../src/tenants/clients/operations';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { testKeyring } from '../../support/keyring';
import { operatorOf, type TestOperator } from '../../support/operator';
import { created, fundedAccount, look, lookUntil, read } from './support';

/** Decisions of people on the screening of a payout's destination, by the command line. */

const masterKey = randomBytes(32);
const clock = { aheadMs: 0 };
let api: TestApi;
let client: Client;
let accountId: string;
let [ida, bob] = [] as unknown as [TestOperator, TestOperator];
beforeAll(async () => {
  api = await testApi({
    keyring: testKeyring(masterKey),
    now: () => new Date(Date.now() + clock.aheadMs),
  });
  client = await api.client();
  accountId = await fundedAccount(api, client, '90000.00');
  ida = await operatorOf(api, masterKey, {}, 'ida');
  bob = await operatorOf(api, masterKey, {}, 'bob');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

const HOUR_MS = 3_600_000;
const REASON = ['--reason', 'ticket 4711'];

/** A payout to an address with this ending, after its first step. */
async function paidTo(ending: string, from = accountId, by = client): Promise<string> {
  const address = `0x${'7'.repeat(34)}${ending}`;
  const destination = { chain: 'polygon', asset: 'USDT', address };
  const id = await created(by, from, { method: 'crypto', currency: 'USDT', destination });
  await look(api, id);
  return id;
}
const waiting = async () =>
  (await ida('screening', 'list', '--json')).json<{ id: string }[]>().map(({ id }) => id);
const orderedAt = async (id: string) =>
  (await api.database.query('select ordered_at from transfers where id = $1', [id]))[0]?.['ordered_at'];
const rowOf = async (id: string) => {
  const text = 'select status, waits, decided, decided_by from screenings where subject = $1';
  return (await api.database.query(text, [id]))[0];
};
const openBreaks = async (id: string) => {
  const text = 'select kind from breaks where subject = $1 and resolved_at is null';
  return (await api.database.query<{ kind: string }>(text, [id])).map(({ kind }) => kind);
};
/** Runs the hourly schedule some hours from now. */
const housekeepingIn = (hours: number, given: { cardOrderWaitSeconds?: number } = {}) =>
  createHousekeepingActivities({
    ...api.services,
    ...given,
    now: () => new Date(Date.now() + clock.aheadMs + hours * HOUR_MS),
  }).showOverdueCardOrders();

/** Clears the screening by two operators. */
async function cleared(id: string): Promise<void> {
  const asked = await ida('screening', 'clear', id, ...REASON, '--json');
  expect([asked.err, asked.json()]).toMatchObject(['', { approval: { needs: 1 } }]);
  expect(await bob('approval', 'approve', asked.json().approval.id)).toMatchObject({ code: 0, err: '' });
}

it('one operator refuses a pending screening: the payout fails, and its money returns', async () => {
  const before = await accountBalance(client, accountId);
  const id = await paidTo('bad004');
  expect(await waiting()).toContain(id);
  expect(await ida('screening', 'refuse', id, ...REASON)).toMatchObject({ code: 0, err: '' });
  expect(await read(client, accountId, id)).toMatchObject({ status: 'failed', failure: 'screening_refused' });
  expect(await accountBalance(client, accountId)).toBe(before);
  expect([await orderedAt(id), await look(api, id)]).toEqual([null, 'failed']);
  expect(await rowOf(id)).toMatchObject({ waits: false, decided: 'refused', decided_by: 'operator:ida' });
  expect(await waiting()).not.toContain(id);
});

it('two operators clear a pending screening: the payout is ordered, and nobody is asked again', async () => {
  const id = await paidTo('bad003');
  await cleared(id);
  expect(await rowOf(id)).toMatchObject({ waits: false, decided: 'cleared', decided_by: 'operator:bob' });
  expect(await waiting()).not.toContain(id);
  clock.aheadMs += 20_000; // the party refuses after five seconds
  await lookUntil(api, id, 'completed');
  expect(await rowOf(id)).toMatchObject({ status: 'pending', decided: 'cleared' });
});

it('the preview tells what a decision does, and changes nothing', async () => {
  const id = await paidTo('bad004');
  const refusal = await ida('screening', 'refuse', id, ...REASON, '--preview', '--json');
  expect(refusal.text).toContain('screening_refused');
  const clearance = await ida('screening', 'clear', id, ...REASON, '--preview', '--json');
  expect(clearance.text).toContain('ordered of the party');
  expect(await look(api, id)).toBe('processing');
  expect(await rowOf(id)).toMatchObject({ waits: true, decided: null });
});

it('the story shows each result, the decision and who decided', async () => {
  const id = await paidTo('bad002');
  await ida('screening', 'refuse', id, ...REASON);
  const { screenings, decisions, audit } = (await ida('show', id, '--json')).json().lists;
  expect(screenings).toMatchObject([
    { key: id, status: 'pending', decidedBy: null },
    { key: id, status: 'refused', decidedBy: 'operator:ida' },
  ]);
  expect(decisions).toMatchObject([
    { decision: 'refused', decidedBy: 'operator:ida', reason: 'ticket 4711' },
  ]);
  expect(audit).toMatchObject([{ action: 'screening.refuse' }]);
});

it('refuses a decision on what nobody waits for', async () => {
  const failed = await paidTo('bad001');
  const ordered = await paidTo('abc123');
  const unscreened = await created(client, accountId);
  for (const id of [failed, ordered, unscreened])
    for (const verb of ['refuse', 'clear'])
      expect([verb, await ida('screening', verb, id, ...REASON)]).toMatchObject([verb, { code: 4 }]);
  expect(await read(client, accountId, failed)).toMatchObject({ status: 'failed' });
});

it('refuses a decision on a cleared destination whose order is held', async () => {
  const other = await api.client();
  const held = await paidTo('bad002', await fundedAccount(api, other), other);
  clock.aheadMs += 20_000;
  const stopping = { reason: 'A leak.', stoppedBy: 'operator:ada', at: new Date() };
  await api.database.transaction((tx) => setClientStatus(tx, other.clientId, 'disabled', stopping));
  await look(api, held);
  expect([await rowOf(held), await orderedAt(held)]).toMatchObject([{ status: 'cleared' }, null]);
  for (const verb of ['refuse', 'clear'])
    expect([verb, await ida('screening', verb, held, ...REASON)]).toMatchObject([verb, { code: 4 }]);
});

it('a payout that is ordered without a screening waits for none', async () => {
  const id = await paidTo('bad004');
  expect(await rowOf(id)).toMatchObject({ status: 'pending', waits: true });
  const { screening } = api.services.parties;
  api.services.parties.screening = screeningLeftOut();
  await look(api, id);
  api.services.parties.screening = screening;
  expect(await orderedAt(id)).not.toBeNull();
  expect(await rowOf(id)).toMatchObject({ status: 'pending', waits: false });
});

it('a payout that ends otherwise waits for no screening', async () => {
  const user = (await client.call('POST', '/v1/users', {})).body;
  const opened = await client.call('POST', `/v1/users/${user.id}/accounts`, { currency: 'EUR' });
  const own = String(opened.body.id);
  const transfer = { fromAccountId: accountId, toAccountId: own, amount: '500.00' };
  expect((await client.call('POST', '/v1/users/transfer', transfer)).status).toBeLessThan(300);
  const id = await paidTo('bad004', own);
  expect(await waiting()).toContain(id);
  await api.database.transaction((tx) =>
    setUserStatus(api.services, tx, null, String(user.id), 'blocked', undefined),
  );
  expect(await look(api, id)).toBe('cancelled');
  expect(await waiting()).not.toContain(id);
  expect(await rowOf(id)).toMatchObject({ status: 'pending', waits: false });
});

describe('a screening that waits for longer than a day', () => {
  it('opens one break, which the decision closes', async () => {
    const id = await paidTo('bad004');
    await housekeepingIn(23);
    expect(await openBreaks(id)).toEqual([]);
    await housekeepingIn(25);
    await housekeepingIn(26);
    expect(await openBreaks(id)).toEqual(['screening_waits']);
    await ida('screening', 'refuse', id, ...REASON);
    expect(await openBreaks(id)).toEqual([]);
    await housekeepingIn(27);
    expect(await openBreaks(id)).toEqual([]);
  });

  it('opens the break, too, when the look at card orders fails', async () => {
    const id = await paidTo('bad004');
    // Before Postgres' first year, so it refuses the query.
    await expect(housekeepingIn(25, { cardOrderWaitSeconds: 1e12 })).rejects.toThrow('out of range');
    expect(await openBreaks(id)).toEqual(['screening_waits']);
  });

  it('closes the break with the party’s result, or with the next run', async () => {
    const [paid, left] = [await paidTo('bad002'), await paidTo('bad004')];
    await housekeepingIn(25);
    for (const id of [paid, left]) expect(await openBreaks(id)).toEqual(['screening_waits']);
    clock.aheadMs += 20_000;
    await lookUntil(api, paid, 'completed');
    expect(await openBreaks(paid)).toEqual([]);
    await api.database.query('update screenings set waits = false where subject = $1', [left]);
    await housekeepingIn(26);
    expect(await openBreaks(left)).toEqual([]);
  });

  it('stays closed once an operator has resolved the break', async () => {
    clock.aheadMs = 0; // the operator's clock, which dates the resolution
    const id = await paidTo('bad004');
    await housekeepingIn(25);
    const [row] = await api.database.query<{ id: string }>('select id from breaks where subject = $1', [id]);
    const note = ['--note', 'the vendor looks at it'];
    expect(await ida('breaks', 'resolve', row?.id ?? '', ...note)).toMatchObject({ code: 0, err: '' });
    await housekeepingIn(26);
    expect(await openBreaks(id)).toEqual([]);
  });
});

describe('two processes at once', () => {
  it('screen a destination once, and order it once', async () => {
    const id = await created(client, accountId, {
      method: 'crypto',
      currency: 'USDT',
      destination: { chain: 'polygon', asset: 'USDT', address: `0x${'7'.repeat(34)}abc125` },
    });
    await Promise.allSettled([look(api, id), look(api, id), look(api, id)]);
    await lookUntil(api, id, 'completed');
    // Looks at once may repeat a call, which its key makes harmless. A look after them repeats none.
    const text = `select party, key, calls from sandbox_orders where key like '%' || $1 order by party`;
    const orders = () => api.database.query(text, [id]);
    const made = await orders();
    expect(made).toMatchObject([
      { party: 'payouts', key: `payout-${id}` },
      { party: 'screening', key: id },
    ]);
    await look(api, id);
    expect(await orders()).toEqual(made);
  });

  it('drop the party’s refusal when people clear the payout during the question', async () => {
    const id = await paidTo('bad003');
    clock.aheadMs += 20_000;
    const { screening } = api.services.parties;
    let isDecided = false;
    api.services.parties.screening = {
      ...screening,
      async outcome(key) {
        const word = await screening.outcome(key);
        if (!isDecided) await cleared(id);
        isDecided = true;
        return word;
      },
    };
    expect(await look(api, id)).toBe('processing');
    api.services.parties.screening = screening;
    await lookUntil(api, id, 'completed');
    expect(await rowOf(id)).toMatchObject({ decided: 'cleared' });
  });

  it('give no order when one refuses while the other is about to order', async () => {
    const id = await paidTo('bad002');
    clock.aheadMs += 20_000;
    const { screening } = api.services.parties;
    api.services.parties.screening = {
      ...screening,
      async outcome(key) {
        const word = await screening.outcome(key);
        await ida('screening', 'refuse', id, ...REASON);
        return word;
      },
    };
    expect(await look(api, id)).toBe('failed');
    api.services.parties.screening = screening;
    expect(await orderedAt(id)).toBeNull();
  });
});
