import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { migrate } from '../../../src/kernel/db/migrate';
import { createKeyring } from '../../../src/kernel/security/keyring';
import { createParty } from '../../../src/parties/checkout/sandbox/party';
import { wordAt } from '../../../src/parties/checkout/sandbox/state';
import { listChanges } from '../../../src/parties/sandbox/changes';
import { onServer, urlOf } from '../../support/database';

/** What the sandbox's parties had before their changes stood in rows. */

const MIGRATIONS = join(__dirname, '../../../src/kernel/db/migrations');
const OURS = '0094_sandbox_party_changes.sql';
const NOW = new Date('2026-03-01T12:00:00Z');

const name = `sandbox_${randomBytes(6).toString('hex')}`;
let database: Database;
beforeAll(async () => {
  await onServer(`create database ${name}`);
  database = createDatabase({ url: urlOf(name), poolSize: 2, name });
  const before = readdirSync(MIGRATIONS).sort();
  const applied = before.slice(0, before.indexOf(OURS));
  for (const file of applied) await database.query(readFileSync(join(MIGRATIONS, file), 'utf8'));
  await database.query(
    'create table schema_migrations (name text primary key, at timestamptz default now())',
  );
  await database.query('insert into schema_migrations (name) select unnest($1::text[])', [applied]);
});
afterAll(async () => {
  await database.close();
  await onServer(`drop database ${name} with (force)`);
});

it('are listed from now on, and what was paid is a payment', async () => {
  const at = new Date(NOW.getTime() - 3_600_000);
  const session = (id: string, status: string, paid: string | null, calls = 1) =>
    database.query(
      `insert into sandbox_checkout_sessions (id, key, page, method, amount, currency, merchant, return_url,
         callback_url, expires_at, first_asked_at, calls, status, paid_amount, settles_at, risk)
       values ($1, $1 || '-key', $1 || '-page', 'card', 50, 'EUR', 'Acme', 'https://shop.example',
         'https://api.example', $2, $2, $3, $4, $5, $2, 'review')`,
      [id, at, calls, status, paid],
    );
  await session('cks_paid', 'paid', '57');
  await session('cks_open', 'open', null);
  await session('cks_never', 'open', null, 0);
  await database.query(
    `insert into sandbox_checkout_disputes (id, session_id, amount, opens_at, ends_at, outcome)
     values ('ckd_1', 'cks_paid', 50, $1, $1, 'lost')`,
    [at],
  );
  await database.query(
    `insert into sandbox_payouts (key, method, amount, currency, callback_url, first_asked_at, accepted_at)
     values ('pay_1', 'sepa', 10, 'EUR', 'https://api.example', $1, $1),
            ('pay_2', 'sepa', 10, 'EUR', 'https://api.example', $1, null)`,
    [at],
  );
  await database.query(
    `insert into sandbox_bank_credits (id, iban, amount, currency, received_at) values ('sbp_1', 'LT00', 5, 'EUR', $1)`,
    [at],
  );

  expect(await migrate(urlOf(name))).toContain(OURS);

  const party = createParty({
    database,
    keyring: createKeyring(randomBytes(32)),
    now: () => NOW,
    publicUrl: () => '',
  });
  const word = async (id: string) => {
    const found = await party.read({ id });
    return found && JSON.parse(JSON.stringify(wordAt(found.full, found.version, found.at)));
  };
  expect(await word('cks_paid')).toMatchObject({
    ...{ key: 'cks_paid-key', version: 1, page: 'paid', risk: 'review' },
    payments: [{ amount: '57.00', currency: 'EUR', status: 'settled' }],
    disputes: [{ id: 'ckd_1', status: 'lost' }],
  });
  expect(await word('cks_open')).toMatchObject({ version: 1, page: 'expired', payments: [], risk: 'normal' });
  const listed = async (party: Parameters<typeof listChanges>[1]) =>
    (await listChanges(database, party, { after: null, until: NOW, limit: 10 })).map(({ ref }) => ref).sort();
  expect(await listed('checkout')).toEqual(['cks_open', 'cks_paid']);
  expect(await listed('payouts')).toEqual(['pay_1']);
  expect(await listed('bank')).toEqual(['sbp_1']);
});
