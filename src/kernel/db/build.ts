import { type Knex, knex } from 'knex';

/**
 * Knex's builder for ordinary statements: lists with filters, look-ups, inserts, updates. Names are camelCase here and
 * snake_case in the database, and this is the only place that turns one into the other. A statement that is built is
 * run by {@link Sql.run}: it has no connection of its own.
 */
const builder = knex({
  client: 'pg',
  wrapIdentifier: (name, wrap) => (name === '*' ? name : wrap(snakeCase(name))),
});

/** A statement on a table, by the name that the database has for it. Values must not be undefined: null is nothing, and an absent filter is `modify`'s not to add. */
export const table = (name: string): Knex.QueryBuilder => builder(name);

/** The rows of a statement that is built, as a table. */
export const rowsOf = (query: Knex.QueryBuilder): Knex.QueryBuilder => builder.from(query.as('rows'));

/** A piece of SQL in a statement that is built. */
export const raw = (text: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw =>
  builder.raw(text, bindings);

/** The reading of the clock that rows are stamped with: milliseconds, as they are told. */
export const NOW = builder.raw(`date_trunc('milliseconds', clock_timestamp())`);

/** Adds `column = value` for each value that is there: the filters of a list. */
export function filtered(query: Knex.QueryBuilder, filter: Record<string, unknown>): void {
  for (const [column, value] of Object.entries(filter))
    if (value !== undefined && value !== null) void query.where(column, value);
}

export interface IdPage {
  /** The id that the page before ended with. */
  after?: string | undefined;
  rows?: number | undefined;
  /** Of `created_at`: `from` is inside the period, `to` no longer. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A page of records by their ids, newest first; all of them without `rows`. */
export function newestFirst(query: Knex.QueryBuilder, { after, rows, from, to }: IdPage): void {
  if (from !== undefined) void query.where('createdAt', '>=', from);
  if (to !== undefined) void query.where('createdAt', '<', to);
  if (after !== undefined) void query.where('id', '<', after);
  if (rows !== undefined) void query.limit(rows);
  void query.orderBy('id', 'desc');
}

/** `column = any(…)`: unlike `in (…)`, one text and so one plan for any number of values. */
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

/** The columns of those fields, for a prepared statement written by hand: its rows come in camelCase too. */
export const columnsOf = (fields: readonly string[]): string =>
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', ');

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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

/** A row as the database gives it, its names turned. */
export function camelRow(row: Record<string, unknown>): Record<string, unknown> {
  const turned: Record<string, unknown> = {};
  for (const name of Object.keys(row)) turned[camelCase(name)] = row[name];
  return turned;
}
