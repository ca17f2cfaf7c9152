import { type Knex, knex } from 'knex';

/**
 * Knex's query builder, for ordinary statements: lists with filters, look-ups, inserts, updates. Names are camelCase
 * here and snake_case in the database, and only this file converts them. A built statement has no connection;
 * {@link Sql.run} runs it.
 */
const builder = knex({
  client: 'pg',
  wrapIdentifier: (name, wrap) => (name === '*' ? name : wrap(snakeCase(name))),
});

/**
 * Starts a statement on a table, named as in the database. Values must not be undefined: pass null, and add optional
 * filters with {@link filtered}.
 */
export const table = (name: string): Knex.QueryBuilder => builder(name);

/** Uses the rows of a built statement as a table. */
export const rowsOf = (query: Knex.QueryBuilder): Knex.QueryBuilder => builder.from(query.as('rows'));

/** A fragment of raw SQL for a built statement. */
export const raw = (text: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw =>
  builder.raw(text, bindings);

/** The product's present time by the database, in milliseconds, the resolution of all stored times. */
export const NOW = builder.raw('product_now()');

/** Adds `column = value` for each value that is given. */
export function filtered(query: Knex.QueryBuilder, filter: Record<string, unknown>): void {
  for (const [column, value] of Object.entries(filter))
    if (value !== undefined && value !== null) void query.where(column, value);
}

/** Locks what a look-up finds until the transaction ends. */
export interface Locking {
  /** `share`: nobody changes the row. `update`: only this transaction does. Foreign keys to the row stay possible. */
  lock?: 'share' | 'update' | undefined;
}

/** Adds the lock of a look-up. @param of the table to lock, where the select joins others */
export function locked(query: Knex.QueryBuilder, { lock }: Locking, ...of: string[]): void {
  if (lock === 'share') void query.forShare(...of);
  if (lock === 'update') void query.forNoKeyUpdate(...of);
}

export interface IdPage {
  /** The last id of the previous page. */
  after?: string | undefined;
  rows?: number | undefined;
  /** Period of `created_at`: `from` is included, `to` is excluded. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Sorts records by id, newest first, and applies page and period. Without `rows` there is no limit. */
export function newestFirst(query: Knex.QueryBuilder, { after, rows, from, to }: IdPage): void {
  if (from !== undefined) void query.where('createdAt', '>=', from);
  if (to !== undefined) void query.where('createdAt', '<', to);
  if (after !== undefined) void query.where('id', '<', after);
  if (rows !== undefined) void query.limit(rows);
  void query.orderBy('id', 'desc');
}

/**
 * `column = any(…)`. Unlike `in (…)`, the statement's text does not depend on the number of values, so its plan is
 * reused.
 */
export const anyOf = (column: string, values: readonly unknown[]): Knex.Raw =>
  builder.raw('?? = any(?)', [column, values as unknown as Knex.RawBinding]);

export interface Built {
  text: string;
  values: unknown[];
}

export function compiled(query: Knex.QueryBuilder): Built {
  const { sql, bindings } = query.toSQL().toNative();
  return { text: sql, values: [...bindings] };
}

/** Columns of the fields for a prepared statement written by hand, so that its rows have camelCase names. */
export const columnsOf = (fields: readonly string[]): string =>
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', ');

const snakeNames = new Map<string, string>();

/** @param name of the source, so that there are only some hundreds */
export function snakeCase(name: string): string {
  let known = snakeNames.get(name);
  if (known === undefined) {
    known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, known);
  }
  return known;
}

const camelNames = new Map<string, string>();

function camelCase(name: string): string {
  let known = camelNames.get(name);
  if (known === undefined) {
    known = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(name, known);
  }
  return known;
}

/** Converts a row's column names to camelCase. */
export function camelRow(row: Record<string, unknown>): Record<string, unknown> {
  const turned: Record<string, unknown> = {};
  for (const name of Object.keys(row)) turned[camelCase(name)] = row[name];
  return turned;
}
