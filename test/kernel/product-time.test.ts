import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../support/database';

/** Tests decisions part 4, Sandbox: SQL takes the product's time from `product_now()`, and the machine's time only here. */

/** Statements with the machine's time: leases, keys, signatures, client secrets, the age of idempotency keys, and lost commits. */
const MACHINE_TIME = [
  'src/chain/signing/store.ts',
  'src/kernel/db/commit-marks.ts',
  'src/kernel/idempotency.ts',
  'src/kernel/outbox/commands.ts',
  'src/kernel/outbox/waiting-commands.ts',
  'src/kernel/rate-share.ts',
  'src/kernel/security/installation-keys.ts',
  'src/kernel/security/renewal.ts',
  'src/kernel/security/sealed-columns.ts',
  'src/kernel/temporal/relay.ts',
  'src/parties/signer/held/kept.ts',
  'src/parties/signer/held/published.ts',
  'src/parties/signer/requests.ts',
  'src/process/lost-orders.ts',
  'src/tenants/clients/store.ts',
  'src/tenants/webhooks/delivery/leases-store.ts',
  'src/tenants/webhooks/delivery/store.ts',
  'src/tenants/webhooks/outcomes.ts',
];

/** Columns whose default is the machine's time. */
const MACHINE_COLUMNS = [
  'credentials.created_at',
  'idempotency_keys.created_at',
  'installation_keys.created_at',
  'ledger_places.since',
  'lost_commits.found_at',
  'operator_rights.at',
  'operators.created_at',
  'personal_answers.created_at',
  'webhook_shards.renewed_at',
  'workflow_commands.created_at',
  'workflow_commands.due_at',
];

const ROOT = join(__dirname, '../..');
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`);

const READS_MACHINE = /clock_timestamp\(\)|[<>=] now\(\)(?: [-+] interval| and| or|['"`])|raw\('now\(\)'\)/;

it('reads the time of the machine only for what keeps it', () => {
  const reading = sources.filter((name) => READS_MACHINE.test(readFileSync(join(ROOT, name), 'utf8')));
  expect(reading.sort()).toEqual(MACHINE_TIME);
});

describe('the defaults of columns', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await testDatabase();
  });
  afterAll(() => test.drop());

  it('have the product’s time, but for those of leases, keys and secrets', async () => {
    const rows = await test.database.query<{ name: string; text: string }>(
      `select c.relname || '.' || a.attname as name, pg_get_expr(d.adbin, d.adrelid) as text
         from pg_attrdef d
         join pg_class c on c.oid = d.adrelid and c.relkind in ('r', 'p')
         join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
         join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
        order by 1`,
    );
    const machine = rows.filter(({ text }) =>
      /now\(\)|clock_timestamp/.test(text.replace(/product_now\(.*\)/, '')),
    );
    expect(machine.map(({ name }) => name)).toEqual(MACHINE_COLUMNS);
    expect(rows.filter(({ text }) => text.includes('product_now(')).length).toBeGreaterThan(30);
  });
});
