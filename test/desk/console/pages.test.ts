/** @long */
import { TOTP } from 'otpauth';
import { z } from 'zod';
import { type Catalogue, catalogueOf } from '../../../src/desk/catalogue';
import { carryOut } from '../../../src/desk/console/decision/carry-out';
import { type Field, fieldInput, fieldsOf, inputOf } from '../../../src/desk/console/render/fields';
import { consoleRoutes } from '../../../src/desk/console/routes';
import type { Visit } from '../../../src/desk/console/visit';
import type { DeskHttp } from '../../../src/desk/http/services';
import { deskCatalogue } from '../../../src/desk-catalogue';
import { keyName } from '../../../src/kernel/idempotency';
import { decision, installation } from '../../../src/process/desk/decision';
import { defineDesk } from '../../../src/process/desk/desk';
import { type Client, type TestApi, testApi } from '../../support/api';
import { type TestDesk, testDesk } from '../../support/desk';
import { userInReview } from '../../support/uploads';
import { fundedAccount, IBAN, read } from '../../transfers/payouts/support';
import { asOperator, key, operators, type Person, pendingPayout, permit } from '../support';
import { entered, hiddenOf, type Visitor, visitor, wordsIn } from './support';

let api: TestApi;
let desk: TestDesk;
let ida: Person;
let bob: Person;
let client: Client;
let accountId: string;
let catalogue: Catalogue;
let page: Visitor;
let now: number;
beforeAll(async () => {
  api = await testApi();
  now = Date.now();
  desk = await testDesk(api.services, {
    clock: () => new Date(now),
    workflowUrl: (id) => `https://temporal.example/workflows/${id}`,
  });
  catalogue = deskCatalogue(api.services);
  [ida, bob] = (await operators(api, 'ida', 'bob')) as [Person, Person];
  client = await api.client();
  accountId = await fundedAccount(api, client, '900000.00');
});
beforeEach(async () => {
  now = Date.now();
  await api.database.query('delete from sign_in_failures');
  page = await entered(desk.url, ida);
});
afterAll(async () => {
  await desk.close();
  await api.close();
});

const pending = () => pendingPayout(api, client, accountId);

/** Sends the search of the Records page. */
const searched = async (q: string) =>
  page.post('/records', { ...hiddenOf((await page.get('/records')).text, '/records'), q });

const statusOf = async (id: string) => (await read(client, accountId, id)).status;

describe('the console', () => {
  it('shows every desk, list, record kind, decision and figure of the catalogue', async () => {
    const overview = (await page.get('/')).text;
    const marked = (text: string, name: string) =>
      [...text.matchAll(new RegExp(`data-${name}="([^"]*)"`, 'g'))].map(([, value]) => value);
    expect(marked(overview, 'figure').sort()).toEqual(catalogue.figures.map(({ name }) => name).sort());
    const found: Record<string, (string | undefined)[]> = { list: [], record: [], decision: [], figure: [] };
    for (const { name } of catalogue.desks) {
      const path = `/desks/${encodeURIComponent(name)}`;
      expect((await page.get('/desks')).text).toContain(`href="${path}"`);
      const { status, text } = await page.get(path);
      expect(status).toBe(200);
      for (const what of Object.keys(found)) found[what]?.push(...marked(text, what));
    }
    expect(found['list']?.sort()).toEqual(catalogue.lists.map(({ name }) => name).sort());
    expect(found['record']?.sort()).toEqual([...catalogue.records.keys()].sort());
    expect(found['decision']?.sort()).toEqual([...catalogue.decisions.keys()].sort());
    expect(found['figure']?.sort()).toEqual(catalogue.figures.map(({ name }) => name).sort());
    const { text } = await page.get('/records');
    expect(marked(text, 'finder').sort()).toEqual(catalogue.finders.map(({ name }) => name).sort());
  });

  it('has a page for each list and a form for each decision', async () => {
    for (const { name, columns } of catalogue.lists) {
      const { status, text } = await page.get(`/lists/${encodeURIComponent(name)}`);
      expect([name, status]).toEqual([name, 200]);
      expect(text).toContain('format=csv');
      if (text.includes('<tbody>'))
        for (const { title } of Object.values(columns))
          expect(text.toLowerCase()).toContain(`>${title.toLowerCase()}</th>`);
    }
    for (const [name, { subject, input }] of catalogue.decisions) {
      const { status, text } = await page.get(`/decisions/${name}`);
      expect([name, status]).toEqual([name, 200]);
      if (subject.only === undefined) expect(text).toContain('name="subject"');
      const shape = (input as { shape?: object }).shape ?? {};
      for (const field of Object.keys(shape)) expect(text).toContain(`name="input.${field}`);
    }
  });

  it('leads from a waiting row to its record, its decisions and its workflow', async () => {
    const id = await pending();
    for (const path of ['/work', '/lists/payouts'])
      expect((await page.get(path)).text).toContain(`/records/${id}`);
    const found = await searched(id);
    expect([found.status, found.headers['location']]).toEqual([303, `/records/${id}`]);
    const { text } = await page.get(`/records/${id}`);
    expect(text).toContain(`href="/decisions/payout.approve?subject=${id}"`);
    expect(text).toContain('href="https://temporal.example/workflows/');
    expect(text).toContain(`href="/records/${accountId}"`);
    expect(text).toContain('class="time-line"');
  });

  it('refuses unknown names and ids with a page', async () => {
    for (const path of [
      '/lists/none',
      '/desks/none',
      '/decisions/none.at',
      '/records/pay_none',
      '/approvals/apr_none',
    ]) {
      const { status, text, headers } = await page.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect([headers['content-type'], text]).toEqual([
        'text/html; charset=utf-8',
        expect.stringContaining('Not found'),
      ]);
    }
    const filtered = await page.get('/lists/payouts?olderThan=long');
    expect([filtered.status, wordsIn(filtered.text)]).toEqual([
      400,
      expect.stringContaining('must be an age'),
    ]);
    expect((await page.get('/lists/payouts?cursor=x')).status).toBe(400);
  });

  it('writes foreign text as text', async () => {
    const { text } = await page.get('/lists/payouts?kind=%3Cscript%3Ealert(1)%3C/script%3E');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script&gt;alert');
  });

  it('shows an operator only what he may see', async () => {
    await permit(api, 'bob', ['view']);
    const other = await entered(desk.url, bob);
    const id = await pending();
    expect(wordsIn((await other.get(`/records/${id}`)).text)).toContain('It takes the permission money.');
    expect((await other.get('/decisions/payout.approve')).status).toBe(403);
    await permit(api, 'bob', ['money']);
    expect((await other.get('/')).status).toBe(403);
    await permit(api, 'bob', ['view', 'review', 'money', 'chain', 'security']);
  });
});

describe('a decision', () => {
  const path = '/decisions/payout.approve';

  async function previewed(id: string, fields: Record<string, string> = {}) {
    const { text } = await page.get(`${path}?subject=${id}`);
    return page.post(path, { ...hiddenOf(text, path), subject: id, ...fields });
  }

  it('shows what it will do, and is done once under the key of its form', async () => {
    const id = await pending();
    const preview = await previewed(id, { reason: 'called them' });
    expect(preview.status).toBe(200);
    expect(wordsIn(preview.text)).toContain('status pending_approval processing');
    expect(await statusOf(id)).toBe('pending_approval');
    const fields = { ...hiddenOf(preview.text, path), step: 'confirm' };
    const done = await page.post(path, fields);
    expect([done.status, wordsIn(done.text)]).toEqual([200, expect.stringContaining(`Done ${id}`)]);
    expect(await statusOf(id)).toBe('processing');
    expect(wordsIn((await page.post(path, fields)).text)).toContain(`Done ${id}`);
    const audited = await api.database.query(`select action, actor from audit_log where subject = $1`, [id]);
    expect(audited).toEqual([{ action: 'payout.approve', actor: 'operator:ida' }]);
  });

  it('is refused with what has changed, and previewed again', async () => {
    const id = await pending();
    const preview = await previewed(id);
    const other = await entered(desk.url, bob);
    const rejecting = '/decisions/payout.reject';
    const form = hiddenOf((await other.get(`${rejecting}?subject=${id}`)).text, rejecting);
    const shown = await other.post(rejecting, { ...form, reason: 'no invoice' });
    await other.post(rejecting, { ...hiddenOf(shown.text, rejecting), step: 'confirm' });
    expect(await statusOf(id)).toBe('rejected');
    const late = await page.post(path, { ...hiddenOf(preview.text, path), step: 'confirm' });
    expect(late.status).toBe(409);
    expect(wordsIn(late.text)).toContain('It has changed since you looked, so nothing was done.');
    expect(wordsIn(late.text)).toContain('status pending_approval rejected');
  });

  it('names the wrong field and keeps what was typed', async () => {
    const id = await pending();
    const crediting = '/decisions/suspense.credit';
    const form = hiddenOf((await page.get(`${crediting}?subject=${id}`)).text, crediting);
    const { status, text } = await page.post(crediting, {
      ...form,
      subject: id,
      'input.amount': 'ten',
      'input.account': accountId,
      reason: 'the payer named it',
    });
    expect(status).toBe(400);
    expect(text).toMatch(/id="field-input-amount-wrong">[^<]*decimal/);
    expect(text).toContain(`value="${accountId}"`);
    expect(text).toContain('the payer named it');
  });

  it('is sent again under its key where the answer was lost', async () => {
    const id = await pending();
    const preview = await previewed(id, { reason: 'called them' });
    const fields = { ...hiddenOf(preview.text, path), step: 'confirm' } as Record<string, string>;
    const again = await api.database.transaction(async (tx) => {
      const key = keyName('operator:ida', 'console payout.approve', fields['key'] ?? '');
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 7))', [key]);
      const lost = await page.post(path, fields);
      expect([lost.status, wordsIn(lost.text)]).toEqual([409, expect.stringContaining('Send it again.')]);
      return hiddenOf(lost.text, path);
    });
    expect(again).toMatchObject({ key: fields['key'], version: fields['version'], reason: 'called them' });
    await page.post(path, { ...again, step: 'confirm' });
    expect(await statusOf(id)).toBe('processing');
  });

  it('goes back to the fields with all that was typed', async () => {
    const id = await pending();
    const preview = await previewed(id, { reason: 'called "them" <twice>' });
    const { text } = await page.post(path, { ...hiddenOf(preview.text, path), step: 'edit' });
    expect(text).toContain('called &quot;them&quot; &lt;twice&gt;</textarea>');
    expect(text).toContain(`value="${id}"`);
  });
});

it('unmasks a record with a reason, which the audit log keeps', async () => {
  const id = await pending();
  const path = `/records/${id}`;
  const { csrf = '' } = hiddenOf((await page.get(path)).text, `${path}#reveal`);
  const refused = await page.post(path, { csrf, reason: ' ' });
  expect([refused.status, wordsIn(refused.text)]).toEqual([
    400,
    expect.stringContaining('reason is required.'),
  ]);
  expect((await page.get(path)).text).not.toContain(IBAN);
  expect((await page.post(path, { csrf, reason: 'compares the invoice' })).text).toContain(IBAN);
  const [audited] = await api.database.query(
    `select actor, after from audit_log where subject = $1 and action like '%.reveal'`,
    [id],
  );
  expect(audited).toMatchObject({ actor: 'operator:ida', after: { reason: 'compares the invoice' } });
});

it('shows no credential that is typed into a form', async () => {
  const schema = z.toJSONSchema(z.strictObject({ key: z.string().meta({ format: 'password' }) }));
  const [field] = fieldsOf(schema, 'input') as [Field];
  expect(field).toMatchObject({ path: 'input.key', kind: 'text', isRequired: true, isSecret: true });
  expect(fieldInput(field, { value: '' }).text).toContain('type="password"');
});

it('reads a form back as the input of its schema', () => {
  const schema = z.toJSONSchema(
    z.strictObject({
      one: z.string(),
      several: z.array(z.string()),
      count: z.int().optional(),
      isOn: z.boolean().optional(),
      of: z.array(z.enum(['a', 'b'])),
      limit: z.string().nullable(),
      address: z.strictObject({ city: z.string(), zip: z.string().optional() }).optional(),
      rules: z.array(z.strictObject({ amount: z.string() })).optional(),
    }),
    { io: 'input' },
  );
  const form = new URLSearchParams([
    ['input.one', ' text '],
    ['input.several', 'x\r\n\r\n y '],
    ['input.count', '3'],
    ['input.isOn', 'false'],
    ['input.of.asked', 'yes'],
    ['input.of', 'b'],
    ['none.input.limit', 'yes'],
    ['input.address.city', 'Bern'],
    ['input.address.zip', ''],
    ['input.rules', '[{"amount":"1.00"}]'],
  ]);
  expect(inputOf(form, fieldsOf(schema, 'input'), 'input')).toEqual({
    one: 'text',
    several: ['x', 'y'],
    count: 3,
    isOn: false,
    of: ['b'],
    limit: null,
    address: { city: 'Bern' },
    rules: [{ amount: '1.00' }],
  });
  const wrong = new URLSearchParams([['input.rules', '[']]);
  expect(() => inputOf(wrong, fieldsOf(schema, 'input'), 'input')).toThrow('input.rules must be JSON.');
});

describe('signing in', () => {
  it('leads to the page that was asked for, and to no other site', async () => {
    const stranger = visitor(desk.url);
    const asked = await stranger.get('/lists/payouts?olderThan=1h');
    expect([asked.status, asked.headers['location']]).toEqual([
      303,
      '/sign-in?to=%2Flists%2Fpayouts%3FolderThan%3D1h',
    ]);
    for (const [to, location] of [
      ['/lists/payouts?olderThan=1h', '/lists/payouts?olderThan=1h'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example', '/'],
      ['/sign-out', '/'],
    ] as const) {
      const { status, headers } = await stranger.post('/sign-in', { ...ida, to });
      expect([to, status, headers['location']]).toEqual([to, 303, location]);
    }
  });

  it('sets a cookie that no script reads and no other site sends', async () => {
    const stranger = visitor(desk.url);
    const { headers } = await stranger.post('/sign-in', { ...ida, to: '/' });
    expect(headers['set-cookie']).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    const live = await testDesk({ ...api.services, mode: 'live' });
    expect((await visitor(live.url).get('/sign-in')).text).toContain('Six digits of your code generator.');
    await live.close();
  });

  it('loads nothing from elsewhere', async () => {
    const { headers, text } = await page.get('/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(/ (?:style|on\w+)="/);
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
    expect(files.length).toBe(5);
    for (const path of files) {
      const file = await visitor(desk.url).get(path);
      expect([file.status, file.headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await page.get('/assets/none.js')).status).toBe(404);
  });

  it('does not say which part was wrong, and makes wait after five failures', async () => {
    const stranger = visitor(desk.url);
    const wrong = async () => stranger.post('/sign-in', { name: 'ida', secret: 'x', to: '/' });
    const first = await wrong();
    expect([first.status, wordsIn(first.text)]).toEqual([
      401,
      expect.stringContaining('Name, secret or one-time code is wrong or missing.'),
    ]);
    for (let failures = 1; failures < 5; failures += 1) await wrong();
    expect((await wrong()).status).toBe(429);
  });

  it('refuses forms of other sites, and forms without the token', async () => {
    const id = await pending();
    const path = '/decisions/payout.approve';
    const form = hiddenOf((await page.get(`${path}?subject=${id}`)).text, path);
    const confirm = { ...form, subject: id, step: 'confirm', key: 'k' };
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
    ];
    for (const headers of foreign) expect((await page.post(path, confirm, headers)).status).toBe(403);
    const other = await entered(desk.url, ida);
    const late = await other.post(path, confirm);
    expect([late.status, wordsIn(late.text)]).toEqual([
      403,
      expect.stringContaining('This form is of an earlier session'),
    ]);
    expect((await page.post(path, { ...confirm, csrf: '' })).status).toBe(403);
    expect(await statusOf(id)).toBe('pending_approval');
  });

  it('keeps a form whose session has ended, and does nothing until it is confirmed', async () => {
    const id = await pending();
    const path = '/decisions/payout.approve';
    const { text } = await page.get(`${path}?subject=${id}`);
    now += 31 * 60_000;
    const typed = { ...hiddenOf(text, path), subject: id, step: 'confirm', key: 'k', reason: 'seen "it"' };
    const ended = await page.post(path, typed);
    expect([ended.status, wordsIn(ended.text)]).toEqual([401, expect.stringContaining('is kept')]);
    const kept = hiddenOf(ended.text, '/sign-in');
    const wrong = await page.post('/sign-in', { ...kept, name: 'ida', secret: 'x' });
    expect(hiddenOf(wrong.text, '/sign-in')).toEqual(kept);
    const signedIn = await page.post('/sign-in', { ...kept, ...ida });
    const again = hiddenOf(signedIn.text, path);
    expect(again).toMatchObject({ subject: id, reason: 'seen "it"', step: 'again' });
    const shown = await page.post(path, again);
    expect([shown.status, wordsIn(shown.text)]).toEqual([200, expect.stringContaining('What it will do')]);
    expect(await statusOf(id)).toBe('pending_approval');
    await page.post(path, { ...hiddenOf(shown.text, path), step: 'confirm' });
    expect(await statusOf(id)).toBe('processing');
  });

  it('ends by its button, and a page that refreshes itself keeps no session alive', async () => {
    for (let minutes = 0; minutes < 30; minutes += 10) {
      expect((await page.get('/?refresh=1', { 'hx-request': 'true' })).status).toBe(200);
      now += 10 * 60_000;
    }
    const rested = await page.get('/?refresh=1', { 'hx-request': 'true' });
    expect([rested.status, rested.headers['hx-refresh']]).toEqual([200, 'true']);
    page = await entered(desk.url, ida);
    const { csrf = '' } = hiddenOf((await page.get('/')).text, '/sign-out');
    const { cookie } = page;
    const out = await page.post('/sign-out', { csrf });
    expect([out.status, out.headers['location']]).toEqual([303, '/sign-in']);
    expect((await page.get('/', { cookie })).status).toBe(303);
  });

  it('lets a link of another site come once more with its cookie', async () => {
    const link = await visitor(desk.url).get('/work', { 'sec-fetch-site': 'cross-site' });
    expect([link.status, link.text]).toEqual([200, expect.stringContaining('content="0;url=/work"')]);
  });
});

it('a secret is shown once, and its key keeps nothing of it', async () => {
  const creating = decision<object>({
    name: 'thing.create',
    title: 'creates a thing',
    permission: 'security',
    subject: installation,
    reason: 'optional',
    restsOn: () => ({}),
    secret: async () => ({ stored: {}, shown: { token: 'shown-once' } }),
    preview: async () => [],
    execute: async () => ({ after: {}, result: { id: 'thing' } }),
  });
  const things = defineDesk({ name: 'thing', title: 'Things', decisions: [creating] });
  const visit = {
    desk: {
      ...api.services,
      catalogue: catalogueOf(api.database, [things]),
      others: () => undefined,
      clock: () => new Date(),
      workflowUrl: () => null,
    },
    operator: { actor: 'operator:ida' },
    requestId: 'request',
  } as unknown as Visit;
  const given = { subject: 'installation', input: {} };
  const once = () => carryOut(visit, creating, given, 'key-of-thing');
  expect(await once()).toEqual({ answer: { result: { id: 'thing', token: 'shown-once' } } });
  expect(await once()).toEqual({ answer: { hidden: true } });
  const kept = await api.database.query(`select body from idempotency_keys where body like '%hidden%'`);
  expect(kept).toEqual([{ body: '{"hidden":true}' }]);
});

it('no page of the console is in the document of the API', async () => {
  const paths = consoleRoutes({ catalogue } as DeskHttp).map(({ path }) => path);
  const document = JSON.parse((await visitor(desk.url).get('/openapi.json')).text) as { paths: object };
  expect(Object.keys(document.paths).filter((path) => paths.includes(path))).toEqual([]);
});

describe('a download', () => {
  it('gives out the statement of an account for a period and a format, audited with the reason', async () => {
    const { text } = await page.get(`/records/${accountId}`);
    const path = `/records/${accountId}/content`;
    expect(text).toContain(`href="/lists/account-movements?account=${accountId}"`);
    const asked = { ...hiddenOf(text, path), reason: 'the client asked', 'input.format': 'csv' };
    const { status, headers, text: file } = await page.post(path, asked);
    expect([status, headers['content-disposition']]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="statement-acc_.*\.csv"$/),
    ]);
    expect(file).toContain('admin_deposit');
    for (const [format, type] of [
      ['json', 'application/json'],
      ['pdf', 'application/pdf'],
    ] as const)
      expect((await page.post(path, { ...asked, 'input.format': format })).headers['content-type']).toBe(
        type,
      );
    const [last] = await api.database.query(
      `select actor, after from audit_log where action = 'account.statement' order by id limit 1`,
    );
    const [from, to] = [expect.any(String), expect.any(String)];
    const after = { reason: 'the client asked', format: 'csv', from, to };
    expect(last).toEqual({ actor: 'operator:ida', after });
  });

  it('is refused without a reason and for a wrong period, and keeps what was typed', async () => {
    const path = `/records/${accountId}/content`;
    const hidden = hiddenOf((await page.get(`/records/${accountId}`)).text, path);
    const silent = await page.post(path, { ...hidden, 'input.from': '2026-03-01' });
    expect([silent.status, silent.text]).toEqual([400, expect.stringContaining('value="2026-03-01"')]);
    const wrong = await page.post(path, { ...hidden, reason: 'asked', 'input.from': 'March' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('id="field-input-from-wrong"')]);
  });

  it('of a document stands beside the decision on its user, and takes the permission', async () => {
    const userId = await userInReview(client, {});
    const { text } = await page.get(`/decisions/kyc.approve?subject=${userId}`);
    const [, path = ''] = /formaction="([^"]*\/content)"/.exec(text) ?? [];
    expect(path).toMatch(/^\/records\/doc_/);
    const csrf = hiddenOf(text, path)['csrf'] ?? hiddenOf(text, '/records')['csrf'] ?? '';
    const given = await page.post(path, { csrf, reason: 'the review' });
    expect([given.status, given.headers['content-type']]).toEqual([200, 'image/jpeg']);
    await permit(api, 'ida', ['view', 'money']);
    expect((await page.get(path.replace('/content', ''))).text).not.toContain('id="download"');
    expect((await page.post(path, { csrf, reason: 'the review' })).status).toBe(403);
    await permit(api, 'ida', ['view', 'review', 'money', 'chain', 'security']);
  });
});

describe('the page of a one-time link', () => {
  const SECRET = 'a secret of sixteen characters';

  it('lets an invited operator join, with a code generator as a picture and as a key', async () => {
    const asking = await asOperator(desk.url, ida);
    const input = { name: 'gil', permissions: ['view'] };
    const invited = await asking('POST', 'decisions/operator.invite', { input }, key());
    const { token, operatorId } = invited.body.result;
    const stranger = visitor(desk.url);
    expect((await stranger.get('/join')).status).toBe(200);
    const shown = await stranger.post('/join', { token });
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('<svg viewBox="0 0 ')]);
    expect(shown.text).toContain('aria-label="QR code of the code generator"');
    const [, spelled = ''] = /<code class="key">([^<]*)<\/code>/.exec(shown.text) ?? [];
    const generator = new TOTP({ secret: spelled.replaceAll(' ', '') });
    const code = generator.generate({ timestamp: now });
    const hidden = hiddenOf(shown.text, '/join');
    const short = await stranger.post('/join', { ...hidden, secret: 'short', code });
    expect([short.status, short.text]).toEqual([400, expect.stringContaining('role="alert"')]);
    const wrong = await stranger.post('/join', { ...hidden, secret: SECRET, code: '000000' });
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('code is wrong')]);
    const joined = await stranger.post('/join', { ...hidden, secret: SECRET, code });
    expect([joined.status, joined.text]).toEqual([200, expect.stringContaining(operatorId)]);
    expect((await stranger.post('/join', { token })).status).toBe(404);
    expect(stranger.cookie).toBe('');
  });

  it('refuses a token that is none, and a form of another site', async () => {
    const stranger = visitor(desk.url);
    expect((await stranger.post('/join', { token: 'no token!' })).status).toBe(400);
    expect((await stranger.post('/join', { token: 'unknown' })).status).toBe(404);
    const foreign = await stranger.post('/join', { token: 'unknown' }, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });
});
