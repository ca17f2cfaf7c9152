/** @long */
import { randomBytes } from 'node:crypto';
import { provideForClient } from '../../../src/cards/programmes/operations';
import { addFirstOperator, operatorOf } from '../../../src/desk/operators/operations';
import { operatorOfSession, signIn } from '../../../src/desk/sign-in/operations';
import { SIGN_IN_RULES } from '../../../src/desk/sign-in/rules';
import { lookoutOf } from '../../../src/kernel/db/lookout';
import {
  installationKeys,
  KEYS_SIGN,
  LEASE_MS,
  type OpenedKeyring,
  openKeyring,
} from '../../../src/kernel/security/installation-keys';
import { KEY_PURPOSES, type SealingPurpose } from '../../../src/kernel/security/purposes';
import { LEAD_MS, REST_MS, type RenewalDeps, renewKey } from '../../../src/kernel/security/renewal';
import { mailContext, renewalOf } from '../../../src/kernel/security/sealed-columns';
import { createAuthenticator } from '../../../src/tenants/clients/authenticate';
import { createClient } from '../../../src/tenants/clients/create';
import { type TestDatabase, testDatabase, urlOf } from '../../support/database';
import { masterKeysOf, masterKeysText } from '../../support/keyring';
import { command } from '../../support/operator';

const MASTER_KEYS = masterKeysText(randomBytes(32));
const masterKeys = masterKeysOf(MASTER_KEYS);

let test: TestDatabase;
let audited: object[];
beforeEach(async () => {
  test = await testDatabase();
  audited = [];
});
afterEach(() => test.drop());

/** Lets time pass for the versions of keys. */
const pass = (milliseconds: number) =>
  test.database.query(`update installation_keys set sealing_from = sealing_from - $1 * interval '1 ms'`, [
    milliseconds,
  ]);
const deps = (): RenewalDeps => ({
  owner: test.database,
  masterKeys,
  sleep: pass,
  change: (work, describe) =>
    test.database.transaction(async (tx) => {
      const result = await work(tx);
      audited.push(describe(result));
      return result;
    }),
});
const open = () => openKeyring(test.database, masterKeys);
const numbersOf = async (purpose: string) =>
  (await installationKeys(test.database))
    .filter((key) => key.purpose === purpose)
    .map(({ number }) => number);

/** Mails of the sandbox, which need no other row. */
const idOf = (index: number) => `mail_${String(index).padStart(4, '0')}`;
const TEXT = 'hush';
const mail = (keyring: OpenedKeyring, id: string) =>
  test.database.query('insert into sandbox_mails (id, sealed) values ($1, $2)', [
    id,
    keyring.sealer('sandbox-mails').seal(Buffer.from(TEXT), mailContext(id)),
  ]);
async function opened(keyring: OpenedKeyring): Promise<number> {
  const rows = await test.database.query<{ id: string; sealed: Buffer }>(
    'select id, sealed from sandbox_mails',
  );
  const texts = rows.map(({ id, sealed }) => keyring.sealer('sandbox-mails').open(sealed, mailContext(id)));
  expect(new Set(texts.map(String))).toEqual(new Set([TEXT]));
  return texts.length;
}
const marks = () =>
  test.database.query<{ count: number }>(
    'select count(*)::int as count from sandbox_mails group by substring(sealed from 1 for 4) order by 1',
  );

it('seals every value anew, in a run that goes on where it was broken off, and destroys the earlier key last', async () => {
  const before = await open();
  for (let index = 0; index < 450; index += 1) await mail(before, idOf(index));
  await test.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
     create trigger refuse before update on sandbox_mails for each row when (old.id = '${idOf(300)}') execute function refuse()`,
  );
  await expect(renewKey(deps(), 'sandbox-mails')).rejects.toThrow('broken off');
  expect(await marks()).toEqual([{ count: 200 }, { count: 250 }]);
  await before.refresh();
  expect(await opened(before)).toBe(450);

  await test.database.query('drop trigger refuse on sandbox_mails');
  expect(await renewKey(deps(), 'sandbox-mails')).toMatchObject({ version: 2, sealed: 250, destroyed: [] });
  expect(await marks()).toEqual([{ count: 450 }]);
  expect(await numbersOf('sandbox-mails')).toEqual([1, 2]);

  await pass(REST_MS);
  expect(await renewKey(deps(), 'sandbox-mails')).toEqual({
    purpose: 'sandbox-mails',
    version: 2,
    sealed: 0,
    left: 0,
    destroyed: [1],
    destroysFrom: null,
  });
  expect(await numbersOf('sandbox-mails')).toEqual([2]);
  expect(await opened(await open())).toBe(450);
  expect(audited).toEqual([
    { action: 'keys.renew', subject: 'sandbox-mails/2', after: { leadMs: LEAD_MS } },
    { action: 'keys.destroy', subject: 'sandbox-mails/2', after: { destroyed: [1] } },
  ]);
});

it('is opened by a process before any process seals with it', async () => {
  const [early, late] = [await open(), await open()];
  await mail(late, idOf(1));
  // The command ends while it waits for the processes.
  const ended = { ...deps(), sleep: async () => Promise.reject(new Error('killed')) };
  await expect(renewKey(ended, 'sandbox-mails')).rejects.toThrow('killed');
  await early.refresh();
  await mail(early, idOf(2));
  expect(await marks()).toEqual([{ count: 2 }]);
  await pass(LEAD_MS);
  const later = await open();
  await mail(later, idOf(3));
  expect(await marks()).toEqual([{ count: 1 }, { count: 2 }]);
  expect(await opened(early)).toBe(3);
  await expect(opened(late)).rejects.toThrow('sealed under another key');
});

it('seals nothing in a process that has not read the keys for so long that it may have missed a renewal', async () => {
  let at = 0;
  const keyring = await openKeyring(test.database, masterKeys, () => at);
  const sealer = keyring.sealer('sandbox-mails');
  at = LEASE_MS + 1;
  const sealed = sealer.seal(Buffer.from(TEXT), 'here'); // a command ends before
  keyring.demandFresh();
  expect(() => sealer.seal(Buffer.from(TEXT), 'here')).toThrow('cannot answer just now');
  expect(sealer.open(sealed, 'here').toString()).toBe(TEXT);
  await keyring.refresh();
  expect(sealer.open(sealer.seal(Buffer.from(TEXT), 'here'), 'here').toString()).toBe(TEXT);
});

it('needs no reading while the keys stay, and takes a look for one of its moment', async () => {
  let at = 0;
  const keyring = await openKeyring(test.database, masterKeys, () => at);
  keyring.demandFresh();
  const seal = () => keyring.sealer('sandbox-mails').seal(Buffer.from(TEXT), 'here');
  const seen = async () => (await lookoutOf(test.database).seen(KEYS_SIGN)).value;
  at = LEASE_MS + 1;
  const same = await seen();
  expect(keyring.confirm(same, 0)).toBe(true);
  expect(seal).toThrow('cannot answer just now'); // the look was long ago
  expect(keyring.confirm(same, at)).toBe(true);
  seal();

  const ended = { ...deps(), sleep: async () => Promise.reject(new Error('killed')) };
  await expect(renewKey(ended, 'sandbox-mails')).rejects.toThrow('killed');
  for (const step of [async () => undefined, () => pass(LEAD_MS)]) {
    await step();
    lookoutOf(test.database).wake();
    at += LEASE_MS + 1;
    expect(keyring.confirm(await seen(), at)).toBe(false); // a new version; the version in force
    expect(seal).toThrow('cannot answer just now');
    await keyring.refresh();
    seal();
    expect(keyring.confirm(await seen(), at)).toBe(true);
  }
});

it('keeps the earlier key while a value is left under it', async () => {
  const before = await open();
  await mail(before, idOf(1));
  await renewKey(deps(), 'sandbox-mails');
  await pass(REST_MS);
  // A value of a process that has read nothing since.
  await test.database.query(
    `create function again() returns trigger language plpgsql as $$ begin new.sealed := old.sealed; return new; end $$;
     create trigger again before update on sandbox_mails for each row execute function again()`,
  );
  await mail(before, idOf(2));
  // The pass changes the row, and the trigger puts its value back.
  expect(await renewKey(deps(), 'sandbox-mails')).toMatchObject({ left: 1, destroyed: [] });
  expect(await numbersOf('sandbox-mails')).toEqual([1, 2]);
  await test.database.query('drop trigger again on sandbox_mails');
  expect(await renewKey(deps(), 'sandbox-mails')).toMatchObject({ sealed: 1, destroyed: [1] });
});

it('keeps the earlier key while a decision with a secret waits for another operator, and leaves decided ones', async () => {
  const before = await open();
  const [row] = await test.database.query<{ id: string }>(
    `insert into tenants (id, name, role) values ('cli_01k000000000000000000000aa', 'Ada', 'client') returning id`,
  );
  const clientId = row?.id ?? '';
  const sealed = before.sealer('client-secrets').seal(Buffer.from(TEXT), `credential/${clientId}`);
  const terms = JSON.stringify({
    secret: { clientId, sealed: sealed.toString('base64'), shownTo: 'x' },
    name: 'main',
  });
  for (const [id, decidedBy] of [
    ['apr_01k000000000000000000000aa', null],
    ['apr_01k000000000000000000000ab', 'operator:bob'],
  ])
    await test.database.query(
      `insert into approvals (id, kind, subject, terms, reason, requested_by, status, decided_by, decided_at)
         values ($1, 'client.rotate-secret', $2, $3, 'test', 'operator:ida',
                 case when $4::text is null then 'pending' else 'rejected' end, $4, case when $4::text is null then null else now() end)`,
      [id, clientId, terms, decidedBy],
    );
  expect(await renewKey(deps(), 'client-secrets')).toMatchObject({ sealed: 0 });
  await pass(REST_MS);
  expect(await renewKey(deps(), 'client-secrets')).toMatchObject({ left: 1, destroyed: [] });
  const openIt = async () =>
    (await open()).sealer('client-secrets').open(sealed, `credential/${clientId}`).toString();
  expect(await openIt()).toBe(TEXT);
  await test.database.query(
    `update approvals set status = 'rejected', decided_by = 'operator:bob', decided_at = now() where status = 'pending'`,
  );
  expect(await renewKey(deps(), 'client-secrets')).toMatchObject({ left: 0, destroyed: [1] });
  await expect(openIt()).rejects.toThrow();
});

it('hashes the secrets anew that it can read, and keeps the earlier key for an operator until he signs in', async () => {
  const before = await open();
  const client = await test.database.transaction((tx) =>
    createClient(tx, before, { provide: provideForClient, name: 'Ada', role: 'client', sandbox: true }),
  );
  const operator = await test.database.transaction((tx) => addFirstOperator(tx, before, { name: 'ida' }));
  const authenticate = createAuthenticator(test.database, before);
  const isLet = async () => typeof (await authenticate(client.clientId, client.clientSecret)) === 'object';
  expect(await isLet()).toBe(true);
  const ends = { ...deps(), sleep: async () => Promise.reject(new Error('killed')) };
  await expect(renewKey(ends, 'credential-hashes')).rejects.toThrow('killed');
  await before.refresh();

  // The process keeps the hashes of the client's last secret from before.
  expect(await isLet()).toBe(true);
  expect(await renewKey(deps(), 'credential-hashes')).toMatchObject({ sealed: 1, destroyed: [] });
  expect(await isLet()).toBe(true);
  await pass(REST_MS);
  expect(await renewKey(deps(), 'credential-hashes')).toMatchObject({ left: 1, destroyed: [] });

  await before.refresh();
  const { operatorSecret: secret } = operator;
  const desk = {
    database: test.database,
    keyring: before,
    mode: 'sandbox' as const,
    clock: () => new Date(),
    signInRules: SIGN_IN_RULES,
  };
  const given = { name: 'ida', secret, transport: 'bearer' as const, address: '127.0.0.1' };
  const { token } = await signIn(desk, given);
  expect(await renewKey(deps(), 'credential-hashes')).toMatchObject({ left: 0, destroyed: [1] });
  const after = await open();
  expect(await operatorOf(test.database, after, secret)).toMatchObject({ name: 'ida' });
  const session = { token, transport: 'bearer' as const };
  expect(await operatorOfSession({ ...desk, keyring: after }, session)).toMatchObject({ name: 'ida' });
  await before.refresh();
  expect(await isLet()).toBe(true);
  expect(typeof (await authenticate(client.clientId, 'another'))).toBe('undefined');
});

it.each(KEY_PURPOSES)('renews %s, or says why not', async (purpose) => {
  await open();
  const renewal = renewalOf(purpose);
  if (renewal.way === 'fixed') {
    await expect(renewKey(deps(), purpose)).rejects.toThrow(renewal.because);
    return;
  }
  const first = await renewKey(deps(), purpose);
  await pass(32 * 24 * 3_600_000);
  const second = await renewKey(deps(), purpose);
  expect([first.version, first.destroyed]).toEqual([2, []]);
  // The key of a renewal that is over, or kept for good, is renewed once more.
  expect(second).toMatchObject(
    renewal.way === 'kept' ? { version: 3, destroyed: [] } : { version: 2, destroyed: [1] },
  );
});

it('keeps the earlier key of documents while a file from before is left', async () => {
  await open();
  await renewKey(deps(), 'documents');
  await test.database.query(
    `insert into tenants (id, name, role) values ('cli_01k000000000000000000000aa', 'Ada', 'client');
     insert into cardholder_files (id, tenant_id, content_type, size, sha256, created_at)
       values ('file_01k000000000000000000000aa', 'cli_01k000000000000000000000aa', 'image/png', 1, 'x', now() - interval '40 days')`,
  );
  await pass(32 * 24 * 3_600_000);
  expect(await renewKey(deps(), 'documents')).toMatchObject({ left: 1, destroyed: [] });
  await test.database.query('delete from cardholder_files');
  expect(await renewKey(deps(), 'documents')).toMatchObject({ left: 0, destroyed: [1] });
});

it('derives what was made before under the key of that time', async () => {
  const before = await open();
  const old = before.secretFor('payer-links');
  await renewKey(deps(), 'payer-links');
  await pass(LEAD_MS);
  const after = await open();
  expect(after.secretFor('payer-links', new Date(Date.now() - 60_000 - LEAD_MS))).toEqual(old);
  expect(after.secretFor('payer-links', new Date(Date.now() + 1_000))).not.toEqual(old);
});

it('opens nothing of one purpose by the key of another during a renewal', async () => {
  await open();
  await renewKey(deps(), 'callbacks');
  const keyring = await open();
  const names: SealingPurpose[] = ['callbacks', 'documents'];
  const [one, other] = names.map((name) => keyring.sealer(name));
  expect(() => other?.open(one?.seal(Buffer.from(TEXT), 'here') ?? Buffer.alloc(0), 'here')).toThrow();
});

it('is a command, as the owner of the schema', async () => {
  await open();
  const [row] = await test.database.query<{ name: string }>('select current_database() as name');
  const place = { DATABASE_URL: urlOf(row?.name ?? ''), MASTER_KEYS };
  const short = await command(place, 'keys', 'renew', 'temporal-payload', '--lead-seconds', '9');
  expect([short.code, short.err]).toEqual([2, expect.stringContaining('at least 10')]);
  const fixed = await command(place, 'keys', 'renew', 'event-ids');
  expect([fixed.code, fixed.err]).toEqual([2, expect.stringContaining('Allowed choices are answers')]);
  const done = await command(place, 'keys', 'renew', 'temporal-payload', '--json');
  expect(JSON.parse(done.out)).toEqual({
    purpose: 'temporal-payload',
    version: 2,
    sealed: 0,
    left: 0,
    destroyed: [],
    destroysFrom: null,
  });
  expect((await command(place, 'keys', 'list')).out).toContain('temporal-payload/2');
  const [entry] = await test.database.query<object>(
    `select actor, subject from audit_log where action = 'keys.renew'`,
  );
  expect(entry).toEqual({ actor: 'installation', subject: 'temporal-payload/2' });
});
