import { randomBytes } from 'node:crypto';
import { audit } from '../../src/kernel/audit/audit';
import { verifyAudit } from '../../src/kernel/audit/log';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { migrate } from '../../src/kernel/db/migrate';
import { differenceOfRights, giveRights } from '../../src/kernel/db/roles';
import { writeTogether } from '../../src/kernel/db/writes';
import { newId } from '../../src/kernel/ids';
import { internalBalance, openLedgerAccount } from '../../src/kernel/ledger/accounts';
import { openBook } from '../../src/kernel/ledger/book';
import { checkLedger, takeSnapshots } from '../../src/kernel/ledger/check';
import { accountEntry, internalEntry } from '../../src/kernel/ledger/entries';
import { noteStatusChanges } from '../../src/kernel/ledger/status-changes';
import { Decimal } from '../../src/kernel/money/money';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import { onServer, urlOf } from '../support/database';

/** Attacks of a thief who has the address of the runtime role, or of the reader, of a live installation. */

const name = `attack_${randomBytes(6).toString('hex')}`;
const readerUrl = Object.assign(new URL(urlOf(name)), {
  username: `${name}_reader`,
  password: 'hush',
}).toString();
const [ACCOUNT, ELSEWHERE] = [newId('account'), newId('account')];
const TENANT = newId('tenant');
const [OPERATOR, DISABLED, APPLICANT] = [newId('operator'), newId('operator'), newId('operator')];
const [ASKED, DECIDED] = [newId('approval'), newId('approval')];

let owner: Database;
let runtime: Database;
let reader: Database;
beforeAll(async () => {
  await onServer(`create database ${name}`);
  await migrate(urlOf(name));
  await giveRights({
    owner: urlOf(name),
    runtime: runtimeUrl(urlOf(name)),
    reader: readerUrl,
    sandbox: false,
  });
  const openAs = (url: string) => createDatabase({ url, poolSize: 2, name: 'attack' });
  [owner, runtime, reader] = [openAs(urlOf(name)), openAs(runtimeUrl(urlOf(name))), openAs(readerUrl)];
  await work();
});
afterAll(async () => {
  await Promise.all([owner.close(), runtime.close(), reader.close()]);
  await onServer(`drop database ${name} with (force)`);
  await onServer(`drop role ${name}_reader`);
});

/** The product works in the same role. So the attacks meet rows, and its rights are enough. */
async function work(): Promise<void> {
  await runtime.transaction(async (tx) => {
    for (const id of [ACCOUNT, ELSEWHERE])
      await openLedgerAccount(tx, { id, kind: 'master', tenantId: TENANT, currency: 'USD' });
  });
  await post('7.00');
  await runtime.transaction(async (tx) => {
    noteStatusChanges(tx, ACCOUNT, [
      {
        kind: 'deposit',
        recordId: newId('deposit'),
        referenceId: newId('reference'),
        status: 'created',
        previousStatus: null,
        failure: null,
      },
    ]);
    const caller = { tenantId: 'operator:ida', role: 'admin' } as const;
    await audit(tx, { caller, requestId: 'r', action: 'test', subject: ACCOUNT, tenantId: TENANT });
    await tx.query(`insert into idempotency_keys (name, fingerprint, status, body, permanent)
      values (md5('kept')::uuid, '', 201, '{}', true)`);
    for (const id of [ASKED, DECIDED])
      await tx.query(`insert into approvals (id, kind, subject, terms, reason, requested_by)
        values ('${id}', 'limits', '${TENANT}', '{}', 'more', 'operator:ida')`);
    await tx.query(`insert into operators (id, name, secret_hash, created_by) values
      ('${OPERATOR}', 'bob', stored_proof('proof of bob'), 'installation'), ('${APPLICANT}', 'eve', stored_proof('proof of eve'), 'applicant')`);
  });
  await people();
  await takeSnapshots(runtime);
}

/** Bob has signed in with his proof, and the owner makes what only functions make. */
async function people(): Promise<void> {
  await owner.query(`insert into operators (id, name, secret_hash, created_by, disabled_at, disabled_by)
    values ('${DISABLED}', 'dora', stored_proof('proof of dora'), 'installation', now(), 'operator:ida')`);
  await owner.query(
    `update operators set totp_secret = 'x', totp_step = 9, admitted_at = now(), admitted_by = 'installation' where name <> 'eve'`,
  );
  await owner.query(`select decide_approval('${DECIDED}', 'rejected', null, 'operator:bob', now())`);
  await owner.query(
    `insert into operator_links (token_hash, purpose, operator_id, name, permissions, created_by, totp_secret, created_at, expires_at, failures)
     values (stored_proof('link'), 'invitation', '${newId('operator')}', 'fay', '{}', 'operator:bob', 'x', now(), now() + interval '1 day', 3)`,
  );
  await owner.query(`insert into tenants (id, name, role) values ('${TENANT}', 'x', 'client')`);
  await owner.query(
    `insert into credentials (tenant_id, secret_hash, secret_sealed, expires_at) values ('${TENANT}', 'x', 'x', now())`,
  );
  for (const token of ['session', 'ended'])
    await runtime.query(
      `select begin_session('${newId('session')}', '${OPERATOR}', 'proof of bob', stored_proof('proof of bob'), stored_proof('${token}'), 'bearer', '', now())`,
    );
  await runtime.query(`update desk_sessions set ended_at = now() where token_hash = stored_proof('ended')`);
}

async function post(text: string): Promise<void> {
  const reference = newId('reference');
  await runtime.transaction(async (tx) => {
    const book = await openBook(tx, [ACCOUNT]);
    book.post({
      entries: [
        accountEntry(ACCOUNT, 'deposit/admin_deposit', new Decimal(text), reference),
        internalEntry('funding', 'USD', new Decimal(text).negated(), reference),
      ],
    });
    await writeTogether(tx, [book.written()]);
  });
}

/** A call of the ledger's only writer with a balance and legs of the attacker's making. Balances: seen, entries, available. */
const write = (balances: readonly [string, number, number, string][], legs: readonly string[]): string => {
  const rows = balances.map(
    ([id, seen, entries, available]) =>
      `row('${id}', ${seen}, ${entries}, ${available}, 0, 0)::ledger_new_balance`,
  );
  const made = legs.map((leg) => `row(${leg})::ledger_new_leg`);
  return `select ledger_write(array[${rows.join()}]::ledger_new_balance[], array[${made.join()}]::ledger_new_leg[], now() + interval '1 hour')`;
};
/** @param number null: of an internal account */
const leg = (
  account: string,
  number: number | null,
  amount: string,
  after: string | null,
  forced = false,
): string =>
  `0, '${account}', 'USD', ${number}, null, 'deposit', 'admin_deposit', null, ${amount}, 0, 0, ${after}, ${after === null ? null : 0}, ${after === null ? null : 0}, ${forced}, false`;

const inEuros = (given: string): string => given.replace("'USD'", "'EUR'");

const DENIED = /permission denied|must be owner|must be superuser|must have|must be able/;

/** A statement in a transaction that presents these bytes as the proof of a session. */
const presenting = (proof: string, statement: string): string =>
  `do $$ begin perform set_config('cardwright.session', encode(${proof}, 'hex'), true); perform ${statement}; end $$`;
/** Values that the runtime role can read, the proof of Bob's secret, and the session that Bob has ended. */
const GUESSES = [
  `(select token_hash from desk_sessions where ended_at is null)`,
  `(select secret_hash from operators where name = 'bob')`,
  `'proof of bob'::bytea`,
  `'ended'::bytea`,
  `''::bytea`,
];
const NOT_PRESENTED = /has not presented a live session/;
/** Calls that take the session of an operator. */
const DECIDING: readonly [what: string, call: string][] = [
  ['approve in an operator’s name', `decide_approval('${ASKED}', 'approved', null, 'operator:bob', now())`],
  ['reject in an operator’s name', `decide_approval('${ASKED}', 'rejected', null, 'operator:bob', now())`],
  ['give permissions', `permit_operator('${OPERATOR}', '{view}', 'operator:bob')`],
  ['admit an operator', `admit_operator('${APPLICANT}', 'operator:bob', now())`],
  ['disable an operator', `disable_operator('${OPERATOR}', 'operator:bob', 'x', now())`],
  [
    'invite an operator',
    `give_link('x', 'invitation', 'opr_x', 'x', '{}', 'operator:bob', 'x', now(), now() + interval '1 day')`,
  ],
];

// The account has two numbers: its deposit, and a status change.
const ATTACKS: readonly [what: string, statement: string, refusal: RegExp][] = [
  ['change an entry', 'update ledger_legs set available = 9', DENIED],
  ['delete an entry', 'delete from ledger_legs', DENIED],
  ['truncate the entries', 'truncate ledger_legs', DENIED],
  [
    'write an entry by hand',
    `insert into ledger_legs (posting_id, account_id, currency, at, type, available, pending, spent, forced, listed)
     values (9, 'funding:USD', 'USD', now(), 'internal', 0, 0, 0, false, false)`,
    DENIED,
  ],
  ['change a balance', `update ledger_accounts set available = 1000000 where id = '${ACCOUNT}'`, DENIED],
  [
    'change the time that locks are granted by',
    'update ledger_accounts set created_at = now()',
    /never changed/,
  ],
  ['give an account to another tenant', `update ledger_accounts set tenant_id = 'cli_eve'`, DENIED],
  [
    'open an account with money',
    `insert into ledger_accounts (id, kind, currency, available) values ('acc_eve', 'master', 'USD', 9)`,
    DENIED,
  ],
  ['delete an account', 'delete from ledger_accounts', DENIED],
  [
    'write a snapshot by hand',
    `insert into ledger_snapshots values ('funding:USD', now() + interval '1 day', 1, 0)`,
    DENIED,
  ],
  [
    'move the base of transaction ids',
    `insert into ledger_places (number, cluster, legs, base) values (9, 1, 1, 0)`,
    DENIED,
  ],
  ['change a status change', `update status_changes set status = 'completed'`, DENIED],
  [
    'write a status change by hand',
    `insert into status_changes (account_id, at, number, id, kind, record_id, reference_id, status)
     values ('${ACCOUNT}', now(), 9, 'x', 'deposit', 'x', 'x', 'completed')`,
    DENIED,
  ],
  ['take numbers of a sequence', `select nextval('ledger_postings')`, DENIED],
  ['set back the numbers of IBANs', `select setval('virtual_ibans_number_seq', 1)`, DENIED],

  [
    'post what does not sum to zero',
    write([[ACCOUNT, 2, 3, '12']], [leg(ACCOUNT, 3, '5', '12')]),
    /does not sum to zero/,
  ],
  ['raise a balance without an entry', write([[ACCOUNT, 2, 3, '1000000']], []), /differs from its entries/],
  [
    'raise a balance by more than its entry',
    write(
      [[ACCOUNT, 2, 3, '1000000']],
      [leg(ACCOUNT, 3, '1', '1000000'), leg('funding:USD', null, '-1', null)],
    ),
    /differs from its entries/,
  ],
  [
    'write an entry without its balance',
    write([], [leg(ACCOUNT, 2, '-1', '7', true), leg('funding:USD', null, '1', null)]),
    /has no balance|duplicate|differs/,
  ],
  [
    'write an entry of another account beside a balance',
    write([[ACCOUNT, 2, 3, '8']], [leg(ACCOUNT, 3, '1', '8'), leg(ELSEWHERE, 1, '-1', '-1', true)]),
    /has no balance|differs/,
  ],
  [
    'write an entry under a number that was given',
    write([[ACCOUNT, 2, 3, '8']], [leg(ACCOUNT, 1, '1', '8'), leg('funding:USD', null, '-1', null)]),
    /differs from its entries/,
  ],
  [
    'write an entry of a client as an internal one',
    write([], [leg(ACCOUNT, null, '1', null), leg('funding:USD', null, '-1', null)]),
    /does not exist in its currency|does not sum to zero/,
  ],
  [
    'write an entry of an internal account as a client’s',
    write([], [leg('funding:USD', 1, '1', '1')]),
    /has no balance/,
  ],
  [
    'write an entry in another currency than its account has',
    write(
      [[ACCOUNT, 2, 3, '8']],
      [leg(ACCOUNT, 3, '1', '8'), leg('funding:USD', null, '-1', null)].map(inEuros),
    ),
    /does not exist in its currency/,
  ],
  [
    'write entries in two currencies to one account',
    write(
      [[ACCOUNT, 2, 4, '9']],
      [
        leg(ACCOUNT, 3, '1', '8'),
        leg('funding:USD', null, '-1', null),
        ...[leg(ACCOUNT, 4, '1', '9'), leg('funding:EUR', null, '-1', null)].map(inEuros),
      ],
    ),
    /does not exist in its currency/,
  ],
  [
    'raise the stored balance of an internal account',
    write(
      [['funding:USD', 0, 1, '5']],
      [leg('funding:USD', 1, '5', '5'), leg('funding:USD', null, '-5', null)],
    ),
    /does not exist in its currency/,
  ],
  [
    'write from an old state',
    write([[ACCOUNT, 1, 2, '8']], [leg(ACCOUNT, 2, '1', '8'), leg('funding:USD', null, '-1', null)]),
    /moved since/,
  ],
  [
    'overdraw an account',
    write([[ACCOUNT, 2, 3, '-1']], [leg(ACCOUNT, 3, '-8', '-1'), leg('funding:USD', null, '8', null)]),
    /not_overdrawn/,
  ],

  ['change an audit entry', `update audit_log set actor = 'eve'`, DENIED],
  ['delete an audit entry', 'delete from audit_log', DENIED],
  ['truncate the audit log', 'truncate audit_log, audit_chain', DENIED],
  [
    'date an audit entry back',
    `insert into audit_log (actor, action, at) values ('a', 'b', now() - interval '1 day')`,
    DENIED,
  ],
  [
    'give an audit entry an id',
    `insert into audit_log (id, actor, action) overriding system value values (1, 'a', 'b')`,
    DENIED,
  ],
  ['add a link by hand', `insert into audit_chain values (9, 9, '', '')`, DENIED],
  ['change a link', `update audit_chain set hash = ''`, DENIED],
  [
    'stop the audit log by a lock',
    'do $$ begin lock table audit_log in access exclusive mode; end $$',
    DENIED,
  ],
  ['change a head that will be told', `update audit_heads set hash = ''`, DENIED],
  ['delete a head that will be told', 'delete from audit_heads', DENIED],

  ['change what was asked for', `update approvals set terms = '{"limit":"9"}'`, DENIED],
  ['ask in another’s name later', `update approvals set requested_by = 'operator:eve'`, DENIED],
  [
    'insert an approved approval',
    `insert into approvals (id, kind, subject, terms, reason, requested_by, status, decided_by, decided_at)
     values ('x', 'limits', 'x', '{}', 'x', 'operator:ida', 'approved', 'operator:bob', now())`,
    DENIED,
  ],
  [
    'approve one’s own request',
    `update approvals set status = 'approved', decided_by = requested_by, decided_at = now() where id = '${ASKED}'`,
    DENIED,
  ],
  [
    'turn a rejection into an approval',
    `update approvals set status = 'approved' where id = '${DECIDED}'`,
    DENIED,
  ],
  [
    'decide once more by the function',
    `select decide_approval('${DECIDED}', 'approved', null, 'operator:bob', now())`,
    /no such approval is pending/,
  ],
  [
    'let one operator approve what nobody has asked for',
    `insert into approvals (id, kind, subject, terms, reason, requested_by, needs) values ('x', 'limits', 'x', '{}', 'x', 'system', 1)`,
    /check constraint/,
  ],
  ...DECIDING.flatMap(([what, call]): [string, string, RegExp][] => [
    [`${what} without a session`, `select ${call}`, NOT_PRESENTED],
    ...GUESSES.map((proof): [string, string, RegExp] => [
      `${what} with ${proof}`,
      presenting(proof, call),
      NOT_PRESENTED,
    ]),
  ]),
  [
    'approve with another operator’s session',
    presenting(`'session'::bytea`, `decide_approval('${ASKED}', 'approved', null, 'operator:ida', now())`),
    NOT_PRESENTED,
  ],
  [
    'give permissions alone, with a session',
    presenting(`'session'::bytea`, `permit_operator('${OPERATOR}', '{view}', 'operator:bob')`),
    /another operator must approve/,
  ],
  [
    'give out a code generator alone, with a session',
    presenting(
      `'session'::bytea`,
      `give_link('x', 'code_generator', '${OPERATOR}', 'bob', '{}', 'operator:bob', 'x', now(), now() + interval '1 day')`,
    ),
    /another operator must approve/,
  ],
  [
    'approve money that leaves a tenant',
    `insert into transfer_decisions (id, transfer_id, kind, decided_by) values ('x', 'pay_x', 'approve', 'operator:bob')`,
    NOT_PRESENTED,
  ],
  [
    'approve money in the system’s name',
    `insert into transfer_decisions (id, transfer_id, kind, decided_by) values ('x', 'pay_x', 'approve', 'system')`,
    NOT_PRESENTED,
  ],
  [
    'clear a screening',
    `insert into transfer_decisions (id, transfer_id, kind, decided_by) values ('x', 'pay_x', 'screening_cleared', 'operator:bob')`,
    NOT_PRESENTED,
  ],
  [
    'end the rest of a destination',
    `insert into transfer_decisions (id, transfer_id, kind, decided_by) values ('x', 'pay_x', 'rested', 'system')`,
    /the destination rests/,
  ],
  [
    'switch dual control off',
    `insert into installation_settings (name, value) values ('dual_control', 'off')`,
    /has dual control/,
  ],
  ['delete an approval', 'delete from approvals', DENIED],
  ...[
    'transfer_decisions',
    'screening_results',
    'transfer_entries',
    'kyc_decisions',
    'kyc_approvals',
    'cardholder_decisions',
    'decided_alone',
    'card_transactions',
  ].flatMap((table): [string, string, RegExp][] => [
    [
      `change rows of ${table}`,
      `update ${table} set ${table === 'kyc_approvals' ? 'submission = 1' : table === 'transfer_entries' || table === 'card_transactions' ? 'amount = 1' : `decided_by = 'eve'`}`,
      DENIED,
    ],
    [`delete rows of ${table}`, `delete from ${table}`, DENIED],
    [`truncate ${table}`, `truncate ${table} cascade`, DENIED],
  ]),
  ['write off suspense by hand', 'delete from suspense_items', DENIED],

  ['rename an operator', `update operators set name = 'eve'`, DENIED],
  ['delete an operator', 'delete from operators', DENIED],
  [
    'insert an admitted operator',
    `insert into operators (id, name, secret_hash, created_by, admitted_by, admitted_at) values ('x', 'eve', 'x', 'x', 'x', now())`,
    DENIED,
  ],
  [
    'enable a disabled operator',
    `update operators set disabled_at = null, disabled_by = null where id = '${DISABLED}'`,
    DENIED,
  ],
  [
    'change who admitted an operator',
    `update operators set admitted_by = 'eve' where id = '${OPERATOR}'`,
    DENIED,
  ],
  ['give permissions by hand', `update operators set permissions = '{security}'`, DENIED],
  [
    'write down permissions by hand',
    `insert into operator_rights (operator_id, permissions, given_by) values ('${OPERATOR}', '{}', 'x')`,
    DENIED,
  ],
  ['give an operator another secret', `update operators set secret_hash = stored_proof('mine')`, DENIED],
  ['take an operator’s code generator', 'update operators set totp_secret = null', DENIED],
  ['let a code work once more', `update operators set totp_step = 1 where id = '${OPERATOR}'`, /works once/],
  [
    'insert an operator of the installation',
    `insert into operators (id, name, secret_hash, created_by) values ('x', 'x', 'x', 'installation')`,
    /only the first operator/,
  ],
  [
    'insert an operator whom another has proposed',
    `insert into operators (id, name, secret_hash, created_by, proposed_by) values ('x', 'x', 'x', 'applicant', 'operator:bob')`,
    /only the first operator/,
  ],
  ['make a demo operator in a live installation', `select ensure_demo_operator('x', 'x')`, DENIED],
  [
    'begin a session by hand',
    `insert into desk_sessions (id, operator_id, token_hash, transport, address, created_at, seen_at)
     values ('x', '${OPERATOR}', stored_proof('mine'), 'bearer', '', now(), now())`,
    DENIED,
  ],
  [
    'begin a session without the secret',
    `select begin_session('x', '${OPERATOR}', secret_hash, secret_hash, stored_proof('mine'), 'bearer', '', now()) from operators where name = 'bob'`,
    /was not presented/,
  ],
  [
    'begin the session of an operator who waits for admission',
    `select begin_session('x', '${APPLICANT}', 'proof of eve', stored_proof('proof of eve'), stored_proof('mine'), 'bearer', '', now())`,
    /was not presented/,
  ],
  ['give a session to another operator', `update desk_sessions set operator_id = '${OPERATOR}'`, DENIED],
  ['give a session another token', `update desk_sessions set token_hash = stored_proof('mine')`, DENIED],
  ['begin an ended session again', 'update desk_sessions set ended_at = null', /stays ended/],
  ['insert a link', `insert into operator_links select * from operator_links`, DENIED],
  ['give a link to another operator', `update operator_links set operator_id = '${OPERATOR}'`, DENIED],
  [
    'lengthen a link',
    `update operator_links set expires_at = expires_at + interval '1 day'`,
    /never opened again/,
  ],
  ['forget failures of a link', 'update operator_links set failures = 0', /never opened again/],
  [
    'use a link without its token',
    `select use_link(token_hash, 'x', 1, now()) from operator_links`,
    /no such link/,
  ],
  ['give a wallet another address', `update wallets set address = '0xeve'`, DENIED],
  ['make a tenant an admin', `update tenants set role = 'admin'`, DENIED],
  [
    'let an ended secret be valid again',
    `update credentials set expires_at = null where tenant_id = '${TENANT}'`,
    /never valid for longer/,
  ],
  [
    'let a secret in its overlap be valid for longer',
    `update credentials set expires_at = expires_at + interval '1 day' where tenant_id = '${TENANT}'`,
    /never valid for longer/,
  ],
  ['give a secret another hash', `update credentials set secret_hash = ''`, DENIED],
  ['move a user to another tenant', `update users set tenant_id = 'cli_eve'`, DENIED],
  ['move a client’s account to another tenant', `update accounts set tenant_id = 'cli_eve'`, DENIED],
  ['pay a card from another account', `update cards set account_id = 'acc_eve'`, DENIED],
  ['change the terms of a transfer', `update transfers set terms = '{}'`, DENIED],
  [
    'forget a permanent key',
    `delete from idempotency_keys where name = md5('kept')::uuid`,
    /permanent idempotency key/,
  ],
  ['change a stored answer', `update idempotency_keys set body = '{}'`, DENIED],

  ['disable a trigger', 'alter table ledger_legs disable trigger user', DENIED],
  ['drop a trigger', 'drop trigger ledger_legs_balance on ledger_legs', DENIED],
  ['drop a constraint', 'alter table ledger_legs drop constraint not_overdrawn', DENIED],
  ['drop a table', 'drop table audit_chain', DENIED],
  ['skip triggers', `set session_replication_role = 'replica'`, DENIED],
  [
    'replace a guard',
    `create or replace function ledger_check_legs() returns trigger language plpgsql as $$ begin return null; end $$`,
    DENIED,
  ],
  ['create a function', 'create function eve() returns int language sql return 1', DENIED],
  ['create a table', 'create table eve (id int)', DENIED],
  ['create a table of the session', 'create temporary table ledger_accounts (id text)', DENIED],
  ['create a schema', 'create schema eve', DENIED],
  [
    'create a trigger',
    'create trigger eve before insert on audit_log for each row execute function ledger_refuse_change()',
    DENIED,
  ],
  ['create a rule', 'create rule eve as on insert to audit_log do instead nothing', DENIED],
  ['move the clock of a live installation', 'select advance_product_offset(86400)', DENIED],
  [
    'replace the clock',
    `create or replace function product_offset() returns interval language sql stable return '1 day'::interval`,
    DENIED,
  ],
  ['become the owner', 'set role cardwright', DENIED],
  ['sign in as the owner', 'set session authorization cardwright', DENIED],
  ['become a superuser', 'alter role current_user superuser', DENIED],
  ['create a role', 'create role eve', DENIED],
  ['run a program', `copy (select 1) to program 'true'`, DENIED],
  ['read a file of the server', `select pg_read_file('postgresql.conf')`, DENIED],
  ['change a setting of the server', `alter system set fsync = 'off'`, DENIED],
  ['write to the catalogue', 'update pg_class set relname = relname', DENIED],
  ['mark a migration as applied', `insert into knex_migrations (name) values ('9999_eve.sql')`, DENIED],
];

const counts = async () =>
  owner.query(`select (select count(*) from ledger_legs) as legs, (select count(*) from audit_log) as entries,
    (select sum(available) from ledger_accounts) as available, (select jsonb_agg(a order by id) from approvals a) as approvals, (select jsonb_agg(a order by id) from operators a) as operators`);

it.each(ATTACKS)('the runtime role cannot %s', async (_, statement, refusal) => {
  const before = await counts();
  await expect(runtime.query(statement)).rejects.toThrow(refusal);
  expect(await counts()).toEqual(before);
});

it('the session of an operator decides in the name of that operator', async () => {
  const call = `decide_approval('${ASKED}', 'approved', null, 'operator:bob', now())`;
  await runtime.query(presenting(`'session'::bytea`, call));
  const decided = await owner.query(`select status, decided_by from approvals where id = '${ASKED}'`);
  expect(decided).toEqual([{ status: 'approved', decided_by: 'operator:bob' }]);
});

it('grants the runtime role nothing by its own statements', async () => {
  await runtime.query('grant update on audit_log to current_user'); // Postgres warns, and grants nothing
  expect(await differenceOfRights(runtime, false)).toEqual({ missing: [], excess: [] });
});

it('leaves the books and the audit log whole after all attacks', async () => {
  expect(await checkLedger(runtime)).toEqual([]);
  expect((await verifyAudit(runtime)).broken).toBeUndefined();
});

it('does not take the base of transaction ids from the session', async () => {
  const alone = createDatabase({ url: runtimeUrl(urlOf(name)), poolSize: 1, name: 'attack' });
  try {
    const [before] = await owner.query('select * from ledger_places');
    await alone.query(
      `select set_config('cardwright.ledger_place', 'ledger_legs'::regclass::oid::text, false)`,
    );
    await alone.query(
      write([[ACCOUNT, 2, 3, '8']], [leg(ACCOUNT, 3, '1', '8'), leg('funding:USD', null, '-1', null)]),
    );
    await takeSnapshots(alone);
    expect(await owner.query('select * from ledger_places')).toEqual([before]);
    expect((await internalBalance(runtime, 'funding', 'USD')).toFixed()).toBe('-8');
    expect(await checkLedger(runtime)).toEqual([]);
  } finally {
    await alone.close();
  }
});

describe('the reader', () => {
  it.each([
    'select sum(available) from ledger_accounts',
    'select * from ledger_legs',
    'select * from audit_log',
    'select id, name, permissions, admitted_at from operators',
    'select product_now()',
  ])('reads: %s', async (statement) => {
    await reader.query(statement);
  });

  it.each([
    'select secret_hash from operators',
    'select * from operators',
    'select secret_sealed from credentials',
    'select meta_sealed from users',
    'select body from idempotency_keys',
    'select data from events',
    'select destination from payouts',
    'select * from wallet_seeds',
    'select * from operator_links',
    `insert into audit_log (actor, action) values ('a', 'b')`,
    'update ledger_accounts set created_at = now()',
    'delete from breaks',
    'select take_ledger_snapshots()',
    `select ledger_write('{}', '{}', now())`,
    'select advance_product_offset(1)',
    'create temporary table eve (id int)',
    `set session_replication_role = 'replica'`,
    'set role cardwright',
  ])('is refused: %s', async (statement) => {
    await expect(reader.query(statement)).rejects.toThrow(DENIED);
  });

  it('is refused the rights of the runtime role', async () => {
    await expect(reader.query(`set role ${new URL(runtimeUrl(urlOf(name))).username}`)).rejects.toThrow(
      DENIED,
    );
  });
});
