import { checkLedger } from '../../src/kernel/ledger/check';
import { type Client, type TestApi, testApi } from '../support/api';
import { type TestDesk, testDesk } from '../support/desk';
import { fundedAccount, IBAN, read } from '../transfers/payouts/support';
import { type Ask, asOperator, calling, key, operators, type Person, pendingPayout, permit } from './support';

let api: TestApi;
let desk: TestDesk;
let client: Client;
let accountId: string;
let people: Person[];
let ida: Ask;
let bob: Ask;
beforeAll(async () => {
  api = await testApi();
  desk = await testDesk(api.services);
  people = await operators(api, 'ida', 'bob');
  ida = await asOperator(desk.url, people[0] as Person);
  bob = await asOperator(desk.url, people[1] as Person);
  client = await api.client();
  accountId = await fundedAccount(api, client, '900000.00');
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(async () => {
  await desk.close();
  await api.close();
});

const pending = () => pendingPayout(api, client, accountId);

const audited = (subject: string) =>
  api.database.query('select actor, action, before, after from audit_log where subject = $1 order by id', [
    subject,
  ]);
const decisionsOf = async (id: string) =>
  (await api.database.query('select kind from transfer_decisions where transfer_id = $1', [id])).length;

describe('a list', () => {
  it('shows what waits, by its columns, and filters it', async () => {
    const id = await pending();
    const { status, body } = await ida('GET', `lists/payouts?client=${client.clientId}`);
    expect(status).toBe(200);
    expect(body.data).toContainEqual({
      id,
      client: client.clientId,
      account: accountId,
      method: 'sepa',
      total: { amount: '10000.35', currency: 'EUR' },
      since: expect.stringMatching(/Z$/),
    });
    expect((await ida('GET', 'lists/payouts?currency=USD')).body.data).toEqual([]);
    expect((await ida('GET', 'lists/payouts?olderThan=2h')).body.data).toEqual([]);
    expect((await ida('GET', 'lists/payouts?status=x')).status).toBe(400);
    expect((await ida('GET', 'lists/payouts?olderThan=soon')).body).toMatchObject({ field: 'olderThan' });
    const open = await ida('GET', 'lists/payouts-open?kind=pending_approval');
    expect(open.body.data).toContainEqual(expect.objectContaining({ id, status: 'pending_approval' }));
  });

  it('has pages, and a cursor of its own', async () => {
    const ids = [await pending(), await pending(), await pending()];
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await ida('GET', `lists/payouts?limit=2${query}`);
      seen.push(...body.data.map((row: { id: string }) => row.id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(new Set(seen).size).toBe(seen.length);
    for (const wrong of ['cursor=x', 'limit=0', 'limit=1001', 'format=xml'])
      expect((await ida('GET', `lists/payouts?${wrong}`)).status).toBe(400);
  });

  it('comes whole as CSV, with the currency beside an amount', async () => {
    const id = await pending();
    const { status, headers, text } = await ida('GET', 'lists/payouts?format=csv&limit=1');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head, ...lines] = text.trimEnd().split('\r\n');
    expect(head).toBe('id,client,account,method,total,totalCurrency,since');
    const waiting = (await ida('GET', 'lists/payouts?limit=1000')).body.data.length;
    expect(lines).toHaveLength(waiting);
    expect(lines.find((line) => line.startsWith(id))).toMatch(/,sepa,10000\.35,EUR,20/);
  });
});

describe('a record', () => {
  it('is the whole story, with its decisions, and masks what is personal', async () => {
    const id = await pending();
    const { body, text } = await ida('GET', `records/${id}`);
    expect(body).toMatchObject({
      id,
      what: 'payout',
      status: 'pending_approval',
      record: { status: 'pending_approval', totalDebit: '10000.35' },
      workflowId: `payout-lifecycle-${id}`,
      decisions: expect.arrayContaining(['payout.approve', 'payout.reject', 'suspense.credit']),
      reveals: true,
    });
    expect(text).not.toContain(IBAN);
    const revealed = await ida('POST', `records/${id}/reveal`, { reason: 'calls the beneficiary' });
    expect(revealed.body).toMatchObject({ iban: IBAN });
    expect(await audited(id)).toMatchObject([
      { actor: 'operator:ida', action: 'payout.reveal', after: { reason: 'calls the beneficiary' } },
    ]);
    expect((await ida('POST', `records/${id}/reveal`, {})).status).toBe(400);
  });

  it('is unmasked for an operator who decides about it', async () => {
    const { body: user } = await client.call('POST', '/v1/users', { externalId: 'ada' });
    const needed = [
      [await pending(), 'money'],
      [user.id, 'review'],
    ] as const;
    for (const [id, permission] of needed) {
      await permit(api, 'bob', ['view', permission === 'money' ? 'review' : 'money', 'chain', 'security']);
      expect((await bob('GET', `records/${id}`)).body.reveals).toBe(false);
      const refused = await bob('POST', `records/${id}/reveal`, { reason: 'x' });
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining(permission)]);
      await permit(api, 'bob', ['view', permission]);
      expect((await bob('GET', `records/${id}`)).body.reveals).toBe(true);
      expect((await bob('POST', `records/${id}/reveal`, { reason: 'x' })).status).toBe(200);
      expect(await audited(id)).toMatchObject([{ actor: 'operator:bob', after: { reason: 'x' } }]);
    }
    await permit(api, 'bob', ['view', 'review', 'money', 'chain', 'security']);
  });

  it('is 404 for what nobody knows', async () => {
    for (const id of ['pay_01jz0000000000000000000000', 'nothing', 'dep_x', 'acc_01jz0000000000000000000000'])
      expect((await ida('GET', `records/${id}`)).status).toBe(404);
  });
});

describe('a decision', () => {
  it('shows in a preview what it will do, and changes nothing', async () => {
    const id = await pending();
    const { status, body } = await ida('POST', 'decisions/payout.reject/preview', { subject: id });
    expect(status).toBe(200);
    expect(body).toEqual({
      version: expect.any(String),
      restsOn: { status: 'pending_approval', reported: null, decisions: 0 },
      effects: [
        { field: 'status', from: 'pending_approval', to: 'rejected' },
        { field: 'held', from: '10000.35 EUR', to: null },
      ],
      takesTwo: false,
      why: '',
    });
    expect([await decisionsOf(id), await audited(id)]).toEqual([0, []]);
  });

  it('is carried out once, however often its request is repeated', async () => {
    const id = await pending();
    const own = key();
    const asked = { subject: id, reason: 'called them' };
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => ida('POST', 'decisions/payout.approve', asked, own)),
    );
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const again = await ida('POST', 'decisions/payout.approve', asked, own);
    expect([again.status, again.headers['x-idempotent-replayed']]).toEqual([200, 'true']);
    for (const { status, text } of answers) if (status === 200) expect(text).toBe(again.text);
    expect(again.body.result).toMatchObject({ id, status: 'processing' });
    expect(await decisionsOf(id)).toBe(1);
    expect(await audited(id)).toEqual([
      {
        actor: 'operator:ida',
        action: 'payout.approve',
        before: { status: 'pending_approval' },
        after: { status: 'processing', reason: 'called them' },
      },
    ]);
    expect((await ida('POST', 'decisions/payout.approve', { ...asked, reason: 'x' }, own)).status).toBe(422);
    expect((await ida('POST', 'decisions/payout.approve', asked)).body.code).toBe('idempotency_key_required');
  });

  it('is 409 with what has changed when its subject is not as the operator saw it', async () => {
    const id = await pending();
    const { body: seen } = await bob('POST', 'decisions/payout.reject/preview', { subject: id });
    await ida('POST', 'decisions/payout.approve', { subject: id }, key());
    const asked = { subject: id, reason: 'no invoice', version: seen.version };
    const own = key();
    const refused = await bob('POST', 'decisions/payout.reject', asked, own);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'version_conflict',
        changed: [
          { field: 'status', from: 'pending_approval', to: 'processing' },
          { field: 'decisions', from: '0', to: '1' },
        ],
      }),
    ]);
    expect((await bob('POST', 'decisions/payout.reject', asked, own)).text).toBe(refused.text);
    const without = await bob('POST', 'decisions/payout.reject', { subject: id, reason: 'x' }, key());
    expect([without.status, without.body.code]).toEqual([409, 'invalid_transition']);
    const malformed = await bob('POST', 'decisions/payout.reject', { ...asked, version: 'x' }, key());
    expect([malformed.status, malformed.body.field]).toEqual([400, 'version']);
  });

  it('takes the permission, a reason, and a subject that there is', async () => {
    const id = await pending();
    await permit(api, 'bob', ['view', 'review']);
    const asked = { subject: id, reason: 'x' };
    const refused = await bob('POST', 'decisions/payout.approve', asked, key());
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('money'),
    ]);
    expect((await bob('GET', 'lists/payouts')).status).toBe(200);
    await permit(api, 'bob', []);
    for (const path of ['lists/payouts', `records/${id}`, 'figures/waiting', 'approvals', 'catalogue'])
      expect((await bob('GET', path)).status).toBe(403);
    await permit(api, 'bob', ['view', 'review', 'money', 'chain', 'security']);
    const bad = [
      [{ subject: id }, 400, 'reason'],
      [{ subject: id, reason: '' }, 400, 'reason'],
      [{ reason: 'x' }, 400, 'subject'],
      [{ ...asked, input: { more: 1 } }, 400, 'input'],
      [{ ...asked, more: 1 }, 400, 'more'],
      [{ ...asked, subject: 'pay_none' }, 404, undefined],
      [{ ...asked, subject: accountId }, 404, undefined],
    ] as const;
    for (const [body, status, field] of bad) {
      const told = await ida('POST', 'decisions/payout.reject', body, key());
      expect([told.status, String(told.body.field ?? '').split('.')[0] || undefined]).toEqual([
        status,
        field,
      ]);
    }
    expect((await ida('POST', 'decisions/payout.invent', asked, key())).status).toBe(404);
    expect((await calling(desk.url)('POST', 'decisions/payout.approve', asked, key())).status).toBe(401);
    expect(await decisionsOf(id)).toBe(0);
  });
});

describe('figures', () => {
  it('count what waits, what is open, and the last 24 hours', async () => {
    const id = await pending();
    const { body: waiting } = await ida('GET', 'figures/waiting');
    const count = (await ida('GET', 'lists/payouts?limit=1000')).body.data.length;
    expect(waiting.values).toContainEqual({ labels: { list: 'payouts', of: 'rows' }, value: count });
    const { body: open } = await ida('GET', 'figures/payouts-open');
    expect(open).toMatchObject({ unit: 'payouts' });
    expect(open.values).toContainEqual({ labels: { status: 'pending_approval' }, value: count });
    const { body: hours } = await ida('GET', 'figures/payouts');
    const total = hours.points.reduce((sum: number, point: { value: number }) => sum + point.value, 0);
    const [made] = await api.database.query<{ count: number }>(
      `select count(*)::int as count from transfers where kind = 'payout'`,
    );
    expect(total).toBe(made?.count);
    expect((await read(client, accountId, id)).status).toBe('pending_approval');
  });
});
