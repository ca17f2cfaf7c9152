import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { StartupError } from '../startup-error';
import type { Sql } from './database';
import { laterMigrations } from './migrate';
import { FUNCTIONS, SANDBOX_FUNCTIONS, SEQUENCES, TABLES, type TableRights } from './rights';
import { roleSettings, SESSION_SETTINGS } from './session-settings';

/**
 * The database roles: the owner migrates, the runtime role runs the product, and the reader reads for reports. A role is the user of
 * its address. `rights.ts` states what each may do.
 */
export interface RoleUrls {
  owner: string;
  /** The owner's address: there is one role only. */
  runtime: string;
  reader?: string | undefined;
}

export interface GivenRights extends RoleUrls {
  /** Whether the runtime role may move the clock. */
  sandbox: boolean;
}

/** Serialises concurrent grants, which would fail on the same row of the catalogue. */
const LOCK = 7_204_114;

/**
 * Creates the runtime role and the reader where they are missing, and gives each exactly its rights. The runtime role gets the settings
 * of its sessions. A role that exists keeps its password. Idempotent. Does nothing with one role only. Changes no right on the
 * schema of a later release, whose processes may run beside.
 * @throws StartupError with the statements for an administrator, when the owner may not create a role
 */
export async function giveRights(given: GivenRights): Promise<void> {
  if (!isSeparate(given)) return;
  const client = new Client({ connectionString: given.owner });
  await client.connect();
  try {
    for (const url of loginsOf(given)) await ensureLogin(client, url, given);
    if (await isOfLaterRelease(client)) return;
    await client.query(['begin', `select pg_advisory_xact_lock(${LOCK})`].join('; '));
    const { rows } = await client.query<{ name: string; columns: string[] }>(COLUMNS, [Object.keys(TABLES)]);
    await client.query(grants(given, new Map(rows.map((row) => [row.name, row.columns]))).join(';\n'));
    await giveSettings(client, given);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function isOfLaterRelease(client: Client): Promise<boolean> {
  const query = async <Row>(text: string) => (await client.query(text)).rows as Row[];
  return (await laterMigrations({ query })).length > 0;
}

/** Only PgBouncer needs them, so an owner who may not change the role is no failure. A process behind PgBouncer looks for them. */
async function giveSettings(client: Client, { owner, runtime }: RoleUrls): Promise<void> {
  await client.query('savepoint settings');
  try {
    await client.query(roleSettings(userOf(runtime), databaseOf(owner)).join(';\n'));
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    await client.query('rollback to savepoint settings');
  }
}

/** Names of the settings that the session lacks, for instance because `migrate` has not given them to its role. */
export async function missingSettings(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as n(name)',
    [Object.keys(SESSION_SETTINGS)],
  );
  return rows
    .filter(({ name: setting, value }) => SESSION_SETTINGS[setting] !== value)
    .map((row) => row.name);
}

/** Whether the product runs under another role than the owner. */
export const isSeparate = ({ owner, runtime }: Pick<RoleUrls, 'owner' | 'runtime'>): boolean =>
  userOf(owner) !== userOf(runtime);

/** Statements for an administrator whose owner may not create roles. They hold no password, only its SCRAM verifier. */
export const loginStatements = (given: RoleUrls): string[] => [
  ...loginsOf(given).map(createLogin),
  ...roleSettings(userOf(given.runtime), databaseOf(given.owner)),
  `revoke temporary on database ${name(databaseOf(given.owner))} from public`,
];

const loginsOf = ({ runtime, reader }: RoleUrls): string[] =>
  reader === undefined ? [runtime] : [runtime, reader];

async function ensureLogin(client: Client, url: string, given: RoleUrls): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [userOf(url)]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(createLogin(url));
  } catch (error) {
    const { code } = error as { code?: string };
    // Another installation of this server creates it at this moment.
    if (code === '42710' || code === '23505') return;
    if (code !== '42501') throw error;
    throw new StartupError(
      `DATABASE_OWNER_URL: its user may not create the role ${userOf(url)}. Let an administrator run:\n` +
        `${loginStatements(given).join(';\n')};`,
    );
  }
}

const createLogin = (url: string): string =>
  `create role ${name(userOf(url))} login password ${literal(verifierOf(passwordOf(url)))}`;

const part = (text: string): string => decodeURIComponent(text);
const userOf = (url: string): string => part(new URL(url).username);
const passwordOf = (url: string): string => part(new URL(url).password);
const databaseOf = (url: string): string => part(new URL(url).pathname.slice(1)) || userOf(url);

const ITERATIONS = 4_096;

/** The verifier that Postgres stores of a password (RFC 5803). A statement with it shows the password in no log of the server. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  const server = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

const COLUMNS = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relname = any($1)
   group by c.relname`;

/** Grants that give each role exactly its rights. @param columns of the tables that exist */
function grants(given: GivenRights, columns: ReadonlyMap<string, readonly string[]>): string[] {
  const roles = loginsOf(given).map((url) => name(userOf(url)));
  const [runtime = '', reader] = roles;
  const everybody = roles.join(', ');
  const tables = Object.entries(TABLES).filter(([table]) => columns.has(table));
  const functions = [...FUNCTIONS, ...SANDBOX_FUNCTIONS];
  const callable = given.sandbox ? functions : FUNCTIONS;
  return [
    `revoke temporary on database ${name(databaseOf(given.owner))} from public`,
    'revoke create on schema public from public',
    `grant usage on schema public to ${everybody}`,
    `revoke all on ${tables.map(([table]) => table).join(', ')} from ${everybody}`,
    `revoke all on function ${functions.join(', ')} from ${everybody}`,
    `revoke all on sequence ${SEQUENCES.join(', ')} from ${everybody}`,
    `grant usage on sequence ${SEQUENCES.join(', ')} to ${runtime}`,
    `grant execute on function ${callable.join(', ')} to ${runtime}`,
    ...tables.flatMap(([table, rights]) => {
      const privileges = privilegesOf(rights, columns.get(table) ?? []);
      return privileges === '' ? [] : [`grant ${privileges} on ${table} to ${runtime}`];
    }),
    ...tables.flatMap(([table, { hidden = [] }]) => {
      if (reader === undefined || hidden === 'all') return [];
      if (hidden.length === 0) return [`grant select on ${table} to ${reader}`];
      const shown = columns.get(table)?.filter((column) => !hidden.includes(column)) ?? [];
      return [`grant select (${shown.map(name).join(', ')}) on ${table} to ${reader}`];
    }),
  ];
}

/** The runtime role's privileges, as GRANT takes them. @param columns all of the table */
function privilegesOf({ runtime, fixed }: TableRights, columns: readonly string[]): string {
  if (fixed === undefined) return runtime;
  const changing = columns.filter((column) => !fixed.includes(column));
  return runtime.replace(/\bupdate\b/, `update (${changing.map(name).join(', ')})`);
}

/** How the rights of the connected role differ from those of the runtime role, each as `update audit_log`. */
export interface RightsDifference {
  missing: string[];
  excess: string[];
}

interface Held {
  table: string;
  privilege: string;
  /** Columns that the role has the privilege on. A privilege of tables has all columns or none. */
  held: string[];
  all: string[];
}

/**
 * Compares the rights of the connected role with `rights.ts`. A later release may have added columns with rights of its own, so
 * rights to columns count only on the schema of this release.
 * @param sandbox see {@link GivenRights.sandbox}
 */
export async function differenceOfRights(sql: Sql, sandbox: boolean): Promise<RightsDifference> {
  const held = await sql.query<Held>(HELD, [Object.keys(TABLES)]);
  const [role] = await sql.query<{ plays: boolean; strong: boolean; callable: boolean }>(
    `select exists (select from unnest($3::text[]) f where has_function_privilege(f, 'execute')) as plays,
            (select rolsuper or rolcreaterole or rolbypassrls or rolreplication from pg_roles where rolname = current_user) as strong,
            not exists (select from unnest($1::text[]) f where not has_function_privilege(f, 'execute'))
            and not exists (select from unnest($2::text[]) s where not has_sequence_privilege(s, 'usage')) as callable`,
    [FUNCTIONS, SEQUENCES, SANDBOX_FUNCTIONS],
  );
  const difference: RightsDifference = {
    missing: role?.callable ? [] : ['execute functions, use sequences'],
    excess: [
      ...(role?.strong ? ['create roles'] : []),
      ...(role?.plays && !sandbox ? ['move the clock'] : []),
    ],
  };
  const mayAsk = held.some(
    (each) => each.table === 'knex_migrations' && each.privilege === 'select' && each.held.length > 0,
  );
  const isLater = mayAsk && (await laterMigrations(sql)).length > 0;
  for (const each of held) if (!isLater || !OF_COLUMNS.includes(each.privilege)) compare(each, difference);
  return difference;
}

/** Privileges that may be on some columns only. */
const OF_COLUMNS = ['select', 'insert', 'update'];

/** Adds what a right of the connected role differs in. */
function compare({ table, privilege, held, all }: Held, { missing, excess }: RightsDifference): void {
  const stated = statedOf(table, privilege, all);
  const right = `${privilege} ${table}`;
  if (stated.some((column) => !held.includes(column))) missing.push(right);
  if (privilege !== 'select' && held.some((column) => !stated.includes(column))) excess.push(right);
}

/** The columns that the runtime role has the privilege on. @param all columns of the table */
function statedOf(table: string, privilege: string, all: readonly string[]): readonly string[] {
  const rights = TABLES[table] ?? { runtime: '' };
  const found = new RegExp(`\\b${privilege}\\b(?: \\(([^)]*)\\))?`).exec(privilegesOf(rights, all));
  if (!found) return [];
  return found[1]?.split(', ').map((column) => column.replaceAll('"', '')) ?? all;
}

/** Privileges of the connected role. A member of the owner counts as the owner, because it may take the owner's role. */
const HELD = `
  with t as (
    select c.oid, c.relname::text as name, pg_has_role(c.relowner, 'member') as own,
           array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)
     group by c.oid)
  select name as "table", p as privilege, columns as "all",
         case when own or has_table_privilege(oid, p) then columns else '{}' end as held
    from t cross join unnest(array['delete', 'truncate', 'trigger', 'references']) p
  union all
  select name, p, columns,
         array(select column_name from unnest(columns) column_name where own or has_column_privilege(oid, column_name, p))
    from t cross join unnest(array['${OF_COLUMNS.join("', '")}']) p`;
