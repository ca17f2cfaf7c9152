import { camelRow, snakeCase } from '../../kernel/db/build';
import { compositeArray } from '../../kernel/db/writes';
import { Decimal } from '../../kernel/money/money';

type Cell = string | number | boolean | Date | null;

/**
 * One column of a stored record, written into an array of a composite type and read back from a row. A list of them, in
 * the order of that type, is the one place where a record's columns are named.
 */
export interface Column<T> {
  /** In camelCase. */
  field: string;
  cell(record: T): Cell;
  /** Absent: it is computed when it is written, and not read. */
  read?(record: T, value: unknown): void;
}

/** A field that the database keeps as it is. */
export function plain<T>(field: keyof T & string): Column<T> {
  return {
    field,
    cell: (record) => record[field] as Cell,
    read(record, value) {
      record[field] = value as T[typeof field];
    },
  };
}

/** NUMERIC: a Decimal, which travels as text. */
export function decimal<T>(field: keyof T & string): Column<T> {
  return {
    field,
    cell: (record) => (record[field] as Decimal).toFixed(),
    read(record, value) {
      record[field] = new Decimal(value as string) as T[typeof field];
    },
  };
}

/** The names of the columns in SQL. */
export function namesOf<T>(columns: readonly Column<T>[], alias = ''): string {
  return columns.map(({ field }) => alias + snakeCase(field)).join(', ');
}

/** The records as an array of the composite type whose order the columns have. */
export function arrayOf<T>(columns: readonly Column<T>[], records: T[]): string {
  return compositeArray(records.map((record) => columns.map((column) => column.cell(record))));
}

/** @param empty what the columns are read into */
export function recordOf<T>(columns: readonly Column<T>[], row: Record<string, unknown>, empty: T): T {
  const values = camelRow(row);
  for (const column of columns) column.read?.(empty, values[column.field]);
  return empty;
}
