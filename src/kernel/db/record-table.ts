import type { Knex } from 'knex';
import { Decimal, ZERO } from '../money/money';
import { table } from './build';
import type { Sql } from './database';

/** Converts a value of a column, because Postgres does not return the value as it was written. */
interface Codec<T> {
  read(stored: never): T;
  write(value: T): unknown;
}

/** NUMERIC, which Postgres returns as text. */
export const decimal: Codec<Decimal> = {
  read: (stored: string) => (stored === '0' ? ZERO : new Decimal(stored)), // many balances are zero
  write: (value) => value.toFixed(),
};

/** A whole number of any size in NUMERIC, such as smallest units of a chain. */
export const wholeUnits: Codec<bigint> = { read: (stored: string) => BigInt(stored), write: String };

/** BIGINT within the safe range of a number, which Postgres returns as text. */
export const safeInteger: Codec<number> = { read: (stored: string) => Number(stored), write: Number };

/** JSON or JSONB. Postgres returns it parsed, but takes it as text. */
export const json: Codec<unknown> = { read: (stored) => stored, write: (value) => JSON.stringify(value) };

/** Every field that holds a decimal or a big integer must be given, so that none arrives as text. */
type Codecs<T> = {
  [Field in keyof T as NonNullable<T[Field]> extends Decimal | bigint ? Field : never]: Codec<
    NonNullable<T[Field]>
  >;
} & { [Field in keyof T]?: Codec<NonNullable<T[Field]>> | typeof json };

/** A table whose rows are records of one shape. Call it to start a statement. */
export interface RecordTable<T> {
  (): Knex.QueryBuilder;
  /** Runs a select. @returns the records in the order of the statement */
  all(sql: Sql, query: Knex.QueryBuilder): Promise<T[]>;
  /** Runs a select. @returns the first record */
  one(sql: Sql, query: Knex.QueryBuilder): Promise<T | undefined>;
  /** Runs an insert or update. @returns the records as they were written */
  written(sql: Sql, query: Knex.QueryBuilder): Promise<T[]>;
  /** Runs an insert or update of one row. @returns the record; undefined when no row was written */
  writtenOne(sql: Sql, query: Knex.QueryBuilder): Promise<T | undefined>;
  /** Runs an insert or update of one row. @returns the record @throws Error when no row was written */
  saved(sql: Sql, query: Knex.QueryBuilder): Promise<T>;
  /** Columns for an insert or update of these fields. */
  row(fields: Partial<T>): Record<string, unknown>;
  /** The record of a row with camelCase names that a statement of its own has read. */
  record(row: Record<string, unknown>): T;
}

/**
 * @param name as in the database
 * @param columns the columns of a record; absent: all columns of the table
 * @param codecs fields that are stored otherwise than they are held
 */
export function recordTable<T extends object>(
  name: string,
  codecs: Codecs<T>,
  columns: readonly (string | Knex.Raw)[] = ['*'],
): RecordTable<T> {
  const coded = Object.entries<Codec<unknown>>(codecs);

  function record(row: Record<string, unknown>): T {
    const made = { ...row };
    for (const [field, { read }] of coded) {
      const stored = made[field];
      if (stored !== null && stored !== undefined) made[field] = read(stored as never);
    }
    return made as T;
  }

  function row(fields: Partial<T>): Record<string, unknown> {
    const made: Record<string, unknown> = { ...fields };
    for (const [field, { write }] of coded) {
      const value = made[field];
      if (value !== null && value !== undefined) made[field] = write(value);
    }
    return made;
  }

  const all: RecordTable<T>['all'] = async (sql, query) =>
    (await sql.run(query.select(columns as string[]))).map(record);
  const written: RecordTable<T>['written'] = async (sql, query) =>
    (await sql.run(query.returning(columns as string[]))).map(record);

  return Object.assign(() => table(name), {
    all,
    written,
    row,
    record,
    one: async (sql: Sql, query: Knex.QueryBuilder) => (await all(sql, query))[0],
    writtenOne: async (sql: Sql, query: Knex.QueryBuilder) => (await written(sql, query))[0],
    async saved(sql: Sql, query: Knex.QueryBuilder) {
      const [made] = await written(sql, query);
      if (made === undefined) throw new Error(`no row of ${name} was written`);
      return made;
    },
  });
}
