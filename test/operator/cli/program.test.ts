/** @long */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDemoBins } from '../../../src/cards/programmes/operations';
import { createAuthenticator } from '../../../src/tenants/clients/authenticate';
import { signingSecret } from '../../../src/tenants/clients/secrets';
import { findTenant } from '../../../src/tenants/clients/store';
import { type TestDatabase, testDatabase } from '../../support/database';
import { keyringIn, masterKeysText } from '../../support/keyring';
import { anotherOperator, command, setLimits } from '../../support/operator';

const masterKey = randomBytes(32);
let test: TestDatabase;
let ida: Record<string, string>;
beforeAll(async () => {
  test = await testDatabase();
  await test.database.transaction((tx) => ensureDemoBins(tx));
  ida = await anotherOperator(
    { DATABASE_URL: test.runtimeUrl, MASTER_KEYS: masterKeysText(masterKey) },
    'ida',
  );
});
afterAll(() => test.drop());

async function operator(argv: string[], environment: NodeJS.ProcessEnv = ida) {
  const { code, out: text, err } = await command(environment, ...argv);
  return { code, text, err, json: () => JSON.parse(text) as Record<string, any> };
}

const create = async (...more: string[]) =>
  (await operator(['client', 'create', '--name', 'Acme', '--json', ...more])).json() as {
    clientId: string;
    clientSecret: string;
  };

async function authenticates(clientId: string, clientSecret: string): Promise<boolean> {
  const authenticate = createAuthenticator(test.database, await keyringIn(test.database, masterKey));
  return typeof (await authenticate(clientId, clientSecret)) === 'object';
}

const audited = (subject: string) =>
  test.database.query<{ actor: string; action: string; before: unknown; after: any }>(
    'select actor, action, before, after from audit_log where subject = $1 order by id',
    [subject],
  );

describe('client', () => {
  it('creates a tenant whose secret authenticates, prints one line of JSON, and is audited', async () => {
    const answer = await operator(['client', 'create', '--name', 'Acme', '--json']);
    expect(answer.code).toBe(0);
    expect(answer.text.split('\n')).toHaveLength(1);
    const { clientId, clientSecret, ...rest } = answer.json();
    expect(rest).toEqual({});
    expect(await authenticates(clientId, clientSecret)).toBe(true);
    const entries = await audited(clientId);
    expect(entries).toMatchObject([{ action: 'client.create', after: { name: 'Acme', role: 'client' } }]);
    expect(entries[0]?.actor).toBe('operator:ida');
    expect(JSON.stringify(entries)).not.toContain(clientSecret);
  });

  it('creates admins', async () => {
    await setLimits(test.database, { dualControl: 'off' });
    const { clientId } = await create('--role', 'admin');
    expect((await findTenant(test.database, clientId))?.role).toBe('admin');
    const listed = await operator(['client', 'list']);
    expect(listed.text).toMatch(new RegExp(`${clientId}\\s+Acme\\s+admin\\s+active`));
  });

  it('rotates a secret, with and without an overlap', async () => {
    const { clientId, clientSecret } = await create();
    const first = (await operator(['client', 'rotate-secret', clientId, '--json'])).json();
    expect(await authenticates(clientId, clientSecret)).toBe(true);
    const now = ['client', 'rotate-secret', clientId, '--overlap-seconds', '0'];
    const second = (await operator([...now, '--json'])).json();
    expect(await authenticates(clientId, clientSecret)).toBe(false);
    expect(await authenticates(clientId, first['clientSecret'])).toBe(false);
    expect(await authenticates(clientId, second['clientSecret'])).toBe(true);
    expect((await operator(now)).text).toMatch(/clientSecret +\S+\n[^]*not shown again\.$/);
    const entries = (await audited(clientId)).slice(1);
    expect(entries.map((entry) => entry.action)).toEqual(Array(3).fill('client.rotate-secret'));
    expect(entries[0]?.after).toMatchObject(entries[1]?.before as object);
    expect(JSON.stringify(entries)).not.toContain(first['clientSecret']);
  });

  it('revokes secrets in their overlap, or all secrets', async () => {
    const { clientId, clientSecret } = await create();
    const { clientSecret: current } = (
      await operator(['client', 'rotate-secret', clientId, '--json'])
    ).json() as { clientSecret: string };
    const revoked = await operator(['client', 'revoke', clientId, '--json']);
    expect(revoked.json()).toEqual({ clientId, revoked: 1, live: 1 });
    expect(await authenticates(clientId, clientSecret)).toBe(false);
    expect(await authenticates(clientId, current)).toBe(true);

    const all = await operator(['client', 'revoke', clientId, '--all']);
    expect(all.text).toMatch(/revoked +1\nlive +0$/);
    expect(await authenticates(clientId, current)).toBe(false);
    // Webhooks continue with the signature that their receivers know.
    expect(
      (await signingSecret(test.database, await keyringIn(test.database, masterKey), clientId)).toString(),
    ).toBe(current);

    const made = (await operator(['client', 'rotate-secret', clientId, '--json'])).json();
    expect(made['overlapEndsAt']).toBeNull();
    expect(await authenticates(clientId, made['clientSecret'])).toBe(true);
    expect(await authenticates(clientId, current)).toBe(false);
    const signing = await signingSecret(test.database, await keyringIn(test.database, masterKey), clientId);
    expect(signing.toString()).toBe(made['clientSecret']);
    const [, , some, whole] = await audited(clientId);
    expect(some).toMatchObject({ action: 'client.revoke', after: { inOverlap: [] } });
    expect(some?.after).toMatchObject(whole?.before as object);
    expect(whole).toMatchObject({ action: 'client.revoke', after: { current: null } });
  });

  it('adds narrowed secrets, lists them, and ends those of a name', async () => {
    const { clientId, clientSecret } = await create();
    const named = ['client', 'secret', 'add', clientId, '--name', 'reporting'];
    const narrow = [...named, '--scopes', 'money,read', '--addresses', '203.0.113.0/24', '2001:db8::/32'];
    const added = (await operator([...narrow, '--json'])).json();
    const terms = { scopes: ['read', 'money'], addresses: ['203.0.113.0/24', '2001:db8::/32'] };
    expect(added).toEqual({ clientId, name: 'reporting', ...terms, clientSecret: expect.any(String) });
    const from = async (address: string) => {
      const authenticate = createAuthenticator(test.database, await keyringIn(test.database, masterKey));
      return await authenticate(clientId, added['clientSecret'], address);
    };
    expect(await from('203.0.113.9')).toMatchObject({ scopes: terms.scopes });
    expect(await from('198.51.100.9')).toBeUndefined();
    const again = await operator(named);
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('rotate or revoke it')]);

    const rows = JSON.parse(
      (await operator(['client', 'secret', 'list', '--client', clientId, '--json'])).text,
    );
    expect(rows).toMatchObject([
      {
        client: clientId,
        name: 'reporting',
        scopes: 'read money',
        addresses: '203.0.113.0/24 2001:db8::/32',
      },
      { client: clientId, name: 'main', scopes: 'all', addresses: 'anywhere' },
    ]);
    const rotate = ['client', 'rotate-secret', clientId, '--name', 'reporting', '--json'];
    const rotated = (await operator(rotate)).json();
    expect(typeof rotated['overlapEndsAt']).toBe('string');
    const revoked = await operator(['client', 'secret', 'revoke', clientId, '--name', 'reporting', '--json']);
    expect(revoked.json()).toEqual({ clientId, name: 'reporting', revoked: 2, live: 1 });
    expect(await from('203.0.113.9')).toBeUndefined();
    expect(await authenticates(clientId, clientSecret)).toBe(true);
    const entries = await audited(clientId);
    expect(entries.map(({ action }) => action)).toEqual([
      'client.create',
      'client.secret.add',
      'client.rotate-secret',
      'client.secret.revoke',
    ]);
    expect(entries[1]?.after).toMatchObject({ name: 'reporting', ...terms });
    expect(JSON.stringify(entries)).not.toContain(added['clientSecret']);
  });

  it.each([
    [['--name', 'Reporting Team'], 'lower-case'],
    [['--name', 'reporting', '--scopes', 'read,everything'], 'read, cards, money, sensitive, manage'],
    [['--name', 'reporting', '--addresses', '10.1'], 'an address or a network'],
  ])('refuses a secret with %j', async (options, message) => {
    const { clientId } = await create();
    const refused = await operator(['client', 'secret', 'add', clientId, ...options]);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(message);
  });

  it('disables a tenant, and enables it again', async () => {
    const { clientId, clientSecret } = await create();
    const disabled = await operator(['client', 'disable', clientId, '--reason', 'A leak.', '--json']);
    expect(disabled.json()).toEqual({ clientId, status: 'disabled' });
    expect(await authenticates(clientId, clientSecret)).toBe(false);
    expect((await operator(['client', 'list'])).text).toMatch(
      new RegExp(`${clientId}\\s+Acme\\s+client\\s+disabled`),
    );
    expect((await operator(['client', 'enable', clientId, '--reason', 'Over.'])).text).toBe(
      `${clientId} is active.`,
    );
    expect(await authenticates(clientId, clientSecret)).toBe(true);
    expect((await audited(clientId)).slice(1)).toMatchObject([
      {
        action: 'client.disable',
        before: { status: 'active' },
        after: { status: 'disabled', reason: 'A leak.' },
      },
      {
        action: 'client.enable',
        before: { status: 'disabled' },
        after: { status: 'active', reason: 'Over.' },
      },
    ]);
  });

  it('shows and changes settings', async () => {
    const { clientId } = await create();
    const set = ['--set', 'rateLimit.perSecond=50', '--set', 'cardholderReview=manual'];
    const changed = await operator(['client', 'settings', clientId, ...set, '--json']);
    const { settings } = changed.json();
    expect(settings).toMatchObject({ rateLimit: { perSecond: 50 }, cardholderReview: 'manual' });
    expect((await operator(['show', clientId, '--json'])).json()['record'].settings).toEqual(settings);
    const [, entry] = await audited(clientId);
    expect(entry).toMatchObject({ action: 'client.settings', after: { rateLimit: { perSecond: 50 } } });
    expect(entry?.before).toMatchObject({ cardholderReview: 'auto' });
  });

  it('prints only the changed settings', async () => {
    const { clientId } = await create();
    const set = (...changes: string[]) =>
      operator(['client', 'settings', clientId, ...changes.flatMap((change) => ['--set', change])]);
    const fees = '[{"currency":"EUR","amount":"1.00"}]';
    const changes = ['cardholderReview=manual', 'banking.monthlyFee="12.00"', 'approvals.aboveDaily=500'];
    expect((await set(...changes, `exchange.withdrawal.fees=${fees}`)).text.split('\n').sort()).toEqual([
      'approvals.aboveDaily: null -> "500"',
      'banking.monthlyFee: "10.00" -> "12.00"',
      'cardholderReview: auto -> manual',
      `exchange.withdrawal.fees: [] -> ${fees}`,
    ]);
    expect((await set('cardholderReview=manual')).text).toBe('Nothing has changed.');
    const preview = await operator([
      ...['client', 'settings', clientId, '--set', 'kycReview=auto', '--preview', '--json'],
    ]);
    expect(preview.json()).toMatchObject({
      effects: [{ field: 'kycReview', from: 'manual', to: 'auto' }],
      restsOn: { kycReview: 'manual' },
      takesTwo: false,
    });
    await set('kycReview=auto');
    const late = await operator([
      ...['client', 'settings', clientId, '--set', 'kycReview=manual'],
      ...['--version', preview.json()['version'] as string, '--json'],
    ]);
    expect([late.code, JSON.parse(late.err).code]).toEqual([4, 'version_conflict']);
  });

  it.each([
    [
      ['--set', 'colour=red'],
      /colour is no setting. There are: .*rateLimit.perSecond.* For instance: --set \w/,
    ],
    [['--set', 'rateLimit=5'], /rateLimit is no setting.* For instance: --set rateLimit.perSecond=100$/],
    [['--set', 'kycReview=5'], /kycReview must be .* For instance: --set kycReview=manual$/],
    [['--set', 'banking.monthlyFee=5'], / For instance: --set 'banking.monthlyFee="10.00"'$/],
    [
      ['--set', 'payouts.approvalAbove=[{"currency":"EUR"}]'],
      /approvalAbove\[0\].amount is required. For instance: --set 'payouts.approvalAbove=\[\{"currency":"USD",.*\}\]'$/,
    ],
    [['--set', '__proto__.x=5'], /is no setting/],
    [['--set', 'rateLimit.perSecond=fast'], /perSecond must be a number/],
    [['--set', 'rateLimit.perSecond=-1'], /perSecond/],
    [['--set', 'nonsense'], /key=value, for instance rateLimit.perSecond=50/],
  ])('refuses %p', async (set, message) => {
    const { clientId } = await create();
    const answer = await operator(['client', 'settings', clientId, ...set]);
    expect(answer.code).toBe(2);
    expect(answer.err).toMatch(message);
    expect(await audited(clientId)).toHaveLength(1);
  });

  it('reports an unknown tenant and audits nothing', async () => {
    for (const verb of ['settings', 'rotate-secret', 'revoke', 'disable', 'enable']) {
      const set = verb === 'settings' ? ['--set', 'kycReview=auto'] : [];
      const answer = await operator(['client', verb, 'cli_unknown', '--reason', 'test', ...set]);
      expect([answer.code, answer.err]).toEqual([3, 'client not found.']);
    }
    expect(await audited('cli_unknown')).toEqual([]);
  });
});

describe('bin', () => {
  const required = ['--scheme', 'visa', '--currency', 'usd', '--model', 'B2B'];

  it('adds a BIN with its fees, admits tenants to it, and lists it', async () => {
    const { clientId } = await create();
    const added = await operator(['bin', 'add', '44556677', ...required, '--fee-issue', '1.5', '--json']);
    expect(added.json()).toMatchObject({ bin: '44556677', currency: 'USD', fees: { issue: '1.50' } });
    expect((await operator(['bin', 'admit', '44556677', '--client', clientId])).code).toBe(0);
    const rows = await test.database.query('select bin from tenant_bins where tenant_id = $1', [clientId]);
    expect(rows).toContainEqual({ bin: '44556677' });
    expect((await operator(['bin', 'list'])).text).toMatch(/44556677\s+visa\s+USD\s+B2B\s+active\s+1\.50/);
    expect((await audited('44556677')).map((entry) => entry.action)).toEqual(['bin.add', 'bin.admit']);
  });

  it('limits the spending of a BIN’s cards, at its creation or later, and audits the earlier limits', async () => {
    const given = ['--max-per-day', '100', '--allow-mcc', '5411', '--block-country', 'KP'];
    expect((await operator(['bin', 'add', '44556688', ...required, ...given])).code).toBe(0);
    const limits = (more: string[]) => operator(['bin', 'limits', '44556688', ...more, '--json']);
    const challenges = ['--challenge-ecommerce', '--challenge-above', '30', '--home-country', 'AT'];
    const more = ['--max-authorization', '20', '--max-per-month', '500.50', ...challenges];
    expect((await limits([...more, '--home-country', 'DE'])).json()).toEqual({
      bin: '44556688',
      before: {
        maxAuthorization: null,
        maxPerDay: '100',
        maxPerMonth: null,
        blockedMccs: [],
        allowedMccs: ['5411'],
        blockedCountries: ['KP'],
        challengeEcommerce: false,
        challengeAbove: null,
        homeCountries: [],
      },
      limits: {
        maxAuthorization: '20',
        maxPerDay: null,
        maxPerMonth: '500.5',
        blockedMccs: [],
        allowedMccs: [],
        blockedCountries: [],
        challengeEcommerce: true,
        challengeAbove: '30',
        homeCountries: ['AT', 'DE'],
      },
    });
    const [row] = await test.database.query(
      'select max_authorization, max_per_day, max_per_month, allowed_mccs from bins where bin = $1',
      ['44556688'],
    );
    expect(row).toEqual({
      max_authorization: '20',
      max_per_day: null,
      max_per_month: '500.5',
      allowed_mccs: [],
    });
    expect((await audited('44556688')).at(-1)).toMatchObject({
      action: 'bin.limits',
      before: { maxPerDay: '100' },
      after: { maxPerMonth: '500.5' },
    });
  });

  it('refuses invalid limits', async () => {
    const wrong = [
      ['44112200', '--max-per-day', '0'],
      ['44112200', '--max-per-day', '1.005'],
      ['44112200', '--block-mcc', '541'],
      ['44112200', '--block-mcc', '5411', '--allow-mcc', '5411'],
      ['44112200', '--block-country', 'PRK'],
      ['44556699', '--max-per-day', '1'],
    ];
    wrong.push(['44112200', '--challenge-above', '0'], ['44112200', '--home-country', 'at']);
    for (const [index, given] of wrong.entries())
      expect([given, (await operator(['bin', 'limits', ...given])).code]).toEqual([
        given,
        index === 5 ? 3 : 2,
      ]);
  });

  it('refuses invalid input', async () => {
    const wrong = [
      ['44', ...required],
      ['44556679', '--scheme', 'visa', '--currency', 'XXY', '--model', 'B2B'],
      ['44556679', ...required, '--fee-issue', '1.555'],
      ['44556679', ...required, '--fee-issue', '-1'],
      ['44556679', ...required, '--admit', 'cli_unknown'],
      ['44112200', ...required],
    ];
    for (const [index, given] of wrong.entries())
      expect([given, (await operator(['bin', 'add', ...given])).code]).toEqual([given, index === 4 ? 3 : 2]);
    expect((await operator(['bin', 'list'])).text).not.toContain('44556679');
  });
});

describe('ledger check', () => {
  it('prints the trial balance, and finds a balance that differs from its legs', async () => {
    const right = await operator(['ledger', 'check']);
    expect([right.code, right.text]).toEqual([0, expect.stringContaining('The ledger is right')]);
    const [account] = await test.database.query<{ id: string }>('select id from ledger_accounts limit 1');
    const tamper = (amount: number) =>
      test.database.query('update ledger_accounts set available = available + $2 where id = $1', [
        account?.id,
        amount,
      ]);
    await tamper(5);
    const wrong = await operator(['ledger', 'check', '--json']);
    await tamper(-5);
    expect(wrong.code).toBe(1);
    expect(wrong.json()['problems']).toEqual(
      expect.arrayContaining([expect.objectContaining({ subject: account?.id })]),
    );
    expect(
      (await operator(['ledger', 'trial-balance', '--at', '2026-01-01T00:00:00Z', '--json'])).json(),
    ).toEqual([]);
  });
});

describe('commands', () => {
  it('lists parked commands and retries them', async () => {
    await test.database.query(
      `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
       values ('cardIssuance', 'card-issuance-1', 'processes', 'start', '[]', now(), 'INVALID_ARGUMENT', 20)`,
    );
    const listed = await operator(['commands', 'list']);
    expect(listed.text).toMatch(/start\s+card-issuance-1\s+20\s+INVALID_ARGUMENT\s+-\s+\S+Z\s+\d+ s/);
    for (const unknown of ['999999', 'one'])
      expect((await operator(['commands', 'retry', unknown])).code).toBe(3);
    expect((await operator(['commands', 'retry-all', '--preview'])).text).toMatch(/parked commands\s+1\s+0/);
    expect((await operator(['commands', 'retry-all', '--json'])).json()).toEqual({ retried: 1 });
    expect((await operator(['commands', 'list'])).text).toBe('(none)');
  });
});

describe('webhooks', () => {
  it('lists endpoints and queues failed deliveries again', async () => {
    const { clientId } = await create();
    await test.database.query(
      `insert into webhook_endpoints (tenant_id, registration, url) values ($1, 'card', 'https://example.com/hook')`,
      [clientId],
    );
    await test.database.query(
      `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery)
       values ($1, 'card', 'card_transaction', 'ctx_1', '{}', now(), 0, 'failed')`,
      [clientId],
    );
    const listed = await operator(['webhooks', 'list', '--client', clientId]);
    expect(listed.text).toMatch(/card\s+active\s+0\s+1\s+0\s+https:\/\/example.com\/hook/);
    const preview = await operator(['webhooks', 'retry', clientId, '--type', 'card', '--preview']);
    expect(preview.text).toMatch(/deliveries given up\s+1\s+0/);
    expect((await operator(['webhooks', 'retry', clientId, '--json'])).json()).toMatchObject({
      card: 1,
      total: 1,
    });
    expect((await audited(clientId)).map((entry) => entry.action)).toContain('webhooks.retry');
    expect((await operator(['webhooks', 'retry', 'cli_unknown'])).code).toBe(3);
    expect((await operator(['webhooks', 'list', '--status', 'sleepy'])).code).toBe(2);
  });
});

describe('its help and its messages', () => {
  it('names every group and gives examples', async () => {
    const { code, text } = await operator(['--help']);
    expect(code).toBe(0);
    expect(text).toContain('Examples:');
    expect((await operator(['client', 'create', '--help'])).text).toContain('--role');
  });

  it('refuses unknown arguments and names missing ones', async () => {
    expect(await operator(['dance'])).toMatchObject({ code: 2, err: expect.stringContaining('unknown') });
    expect(await operator(['client', 'create'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--name'),
    });
    expect((await operator(['client', 'create', '--name', ' '])).code).toBe(2);
  });

  it('prints errors as JSON on standard error when JSON is requested', async () => {
    const missing = await operator(['client', 'revoke', 'cli_unknown', '--json']);
    expect([missing.code, missing.text]).toEqual([3, '']);
    expect(JSON.parse(missing.err)).toEqual({ code: 'not_found', message: 'client not found.' });
    const usage = await operator(['client', 'create', '--json']);
    expect([usage.code, usage.text]).toEqual([2, '']);
    expect(JSON.parse(usage.err)).toMatchObject({ code: 'usage', field: 'name' });
    const { clientId } = await create();
    const bad = await operator(['client', 'settings', clientId, '--set', 'colour=red', '--json']);
    expect([bad.code, JSON.parse(bad.err)]).toEqual([
      2,
      expect.objectContaining({ code: 'invalid_request', field: 'colour' }),
    ]);
    const keyless = await operator(['ledger', 'check', '--json'], { DATABASE_URL: test.runtimeUrl });
    expect([keyless.code, JSON.parse(keyless.err)]).toEqual([
      1,
      expect.objectContaining({ code: 'wrong_configuration' }),
    ]);
  });

  it('says what to do when no product runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cardwright-operator-'));
    const nothing = await operator(['ledger', 'check'], { DATA_DIR: folder });
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('npm start')]);
    rmSync(folder, { recursive: true });
    const away = await operator(['ledger', 'check'], {
      DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none',
      MASTER_KEYS: masterKeysText(masterKey),
    });
    expect([away.code, away.err]).toEqual([1, expect.stringContaining('cannot be reached')]);
    expect(away.err).not.toContain('hush');
    const keyless = await operator(['ledger', 'check'], { DATABASE_URL: test.runtimeUrl });
    expect([keyless.code, keyless.err]).toEqual([1, expect.stringContaining('MASTER_KEYS')]);
  });
});
