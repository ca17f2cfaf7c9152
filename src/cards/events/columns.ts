import { camelRow, snakeCase } from '../../kernel/db/build';
import { type Cell, compositeArray } from '../../kernel/db/writes';
import { Decimal } from '../../kernel/money/money';

/**
 * A column of a stored record, written into an array of a composite type and read from a row. A list of columns, in the
 * order of the type, is the only place that names them.
 */
export interface Column<T> {
  /** In camelCase. */
  field: string;
  cell(record: T): Cell;
  /** Absent for a column that is computed when written and not read. */
  read?(record: T, value: unknown): void;
}

/** A field whose database value needs no conversion. */
export function plain<T>(field: keyof T & string): Column<T> {
  return {
    field,
    cell: (record) => record[field] as Cell,
    read(record, value) {
      record[field] = value as T[typeof field];
    },
  };
}

/** A Decimal, stored as NUMERIC and sent as text. */
export function decimal<T>(field: keyof T & string): Column<T> {
  return {
    field,
    cell: (record) => record[field] as Decimal,
    read(record, value) {
      record[field] = new Decimal(value as string) as T[typeof field];
    },
  };
}

/** The SQL names of columns, separated by commas. */
export function namesOf<T>(columns: readonly Column<T>[], alias = ''): string {
  return columns.map(({ field }) => alias + snakeCase(field)).join(', ');
}

/** Records as an array of the composite type, in the order of the columns. */
export function arrayOf<T>(columns: readonly Column<T>[], records: T[]): string {
  return compositeArray(records.map((record) => columns.map((column) => column.cell(record))));
}

/** A record read from a row. @param empty the object that the columns are read into */
export function recordOf<T>(columns: readonly Column<T>[], row: Record<string, unknown>, empty: T): T {
  const values = camelRow(row);
  for (const column of columns) column.read?.(empty, values[column.field]);
  return empty;
}
