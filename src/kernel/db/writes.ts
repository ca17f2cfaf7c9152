import { createHash } from 'node:crypto';
import type { Decimal } from '../money/money';
import { snakeCase } from './build';
import type { Sql, Statement, Tx } from './database';

/** One of several statements that a transaction sends as one. `$1`, `$2` … are its own values. */
export type Write = {
  /** Writes with the same name must have the same text. */
  name: string;
  values: unknown[];
  /** Runs after the commit, where the write goes with it ({@link writeWithCommit}). */
  committed?: (() => void) | undefined;
} & ({ statement: string } | { call: string });

/** Combined statements by the names of their parts. */
const composed = new Map<string, { name: string; text: string }>();

/**
 * Sends the writes as one prepared statement, so that any number of writes takes one round trip. No write may depend on
 * the rows of another.
 */
export async function writeTogether(tx: Sql, writes: (Write | undefined)[]): Promise<void> {
  const statement = together(writes);
  if (statement) await tx.prepared(statement.name, statement.text, statement.values);
}

/** Sends the writes together with the commit, without waiting for them. */
export function writeWithCommit(tx: Tx, writes: (Write | undefined)[]): void {
  const statement = together(writes);
  if (statement) tx.defer(statement);
  for (const write of writes) if (write?.committed) tx.afterCommit(write.committed);
}

function together(writes: (Write | undefined)[]) {
  const given = writes.filter((write) => write !== undefined);
  if (given.length === 0) return undefined;
  const parts = given.map((write) => write.name).join('+');
  let statement = composed.get(parts);
  if (!statement) composed.set(parts, (statement = { name: shortName(parts), text: compose(given) }));
  return { ...statement, values: given.flatMap((write) => write.values) };
}

/**
 * Hashes the name, because Postgres keeps only 63 characters. Two names that differ later would run each other's
 * statement.
 */
const shortName = (parts: string): string =>
  `writes_${createHash('sha256').update(parts).digest('hex').slice(0, 32)}`;

/**
 * Builds one statement. Statements become common table expressions, which Postgres runs once and completely. Function
 * calls are selected, because Postgres skips a call in an expression that is not read.
 */
function compose(writes: Write[]): string {
  const statements: string[] = [];
  const calls: string[] = [];
  let before = 0;
  for (const write of writes) {
    const shift = before;
    const renumbered = (text: string) =>
      text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`);
    if ('call' in write) calls.push(renumbered(write.call));
    else statements.push(`w${statements.length} as (${renumbered(write.statement)})`);
    before += write.values.length;
  }
  const expressions = statements.length > 0 ? `with ${statements.join(',\n')}\n` : '';
  return `${expressions}select ${calls.join(', ')}`;
}

/**
 * An insert of any number of rows, in their order, by one parameter: its text, and so its plan, is always the same.
 * @param columns of the table, in camelCase. A JSON column takes the value itself, not its text
 * @param conflict `on conflict …`, where rows may exist
 */
export function insertOfRows(
  table: string,
  columns: readonly string[],
  rows: readonly object[],
  conflict = '',
): Statement {
  const names = columns.map(snakeCase).join(', ');
  const from = `json_populate_recordset(null::${table}, $1::json) with ordinality`;
  return {
    name: `insert_rows_${table}`,
    text: `insert into ${table} (${names}) select ${names} from ${from} order by ordinality ${conflict}`,
    values: [rowsAsJson(columns, rows)],
  };
}

/**
 * An update of any number of rows by their `id`, as {@link insertOfRows}. The ids are also a parameter of their own. The plan of
 * a join alone, kept from the time when the table was small, would read all of it.
 * @param columns without `id`
 */
export function updateOfRows<Row extends { id: string }>(
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
): Statement {
  const names = columns.map(snakeCase);
  return {
    name: `update_rows_${table}`,
    text: `update ${table} t set (${names.join(', ')}) = row(${names.map((name) => `n.${name}`).join(', ')})
             from json_populate_recordset(null::${table}, $1::json) n where t.id = n.id and t.id = any($2)`,
    values: [rowsAsJson(['id', ...columns], rows), rows.map(({ id }) => id)],
  };
}

const rowsAsJson = (columns: readonly string[], rows: readonly object[]): string =>
  JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(
        columns.map((column) => [snakeCase(column), (row as Record<string, unknown>)[column]]),
      ),
    ),
  );

export type Cell = string | number | boolean | Date | Decimal | null | undefined;

/**
 * Rows as the text of an array of a composite type, cells in the order of its columns. Postgres parses this in about
 * half the time of JSON.
 */
export function compositeArray(rows: Cell[][]): string {
  let text = '{';
  for (let row = 0; row < rows.length; row += 1) {
    const cells = rows[row]!;
    text += row === 0 ? '"(' : ',"(';
    for (let cell = 0; cell < cells.length; cell += 1)
      text += cell === 0 ? cellText(cells[cell]) : `,${cellText(cells[cell])}`;
    text += ')"';
  }
  return `${text}}`;
}

/** Text without any character that is special in an array or a row. */
const PLAIN = /^[\w.:+-]+$/;

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return PLAIN.test(cell) ? cell : quoted(cell);
  if (typeof cell !== 'object') return String(cell);
  if (cell instanceof Date) return cell.toISOString();
  return cell.isZero() ? '0' : cell.toFixed(); // half of an authorization's amounts are zero
}

function quoted(cell: string): string {
  // The row level doubles quotation marks and backslashes. The array level escapes the result.
  return `\\"${cell.replaceAll('\\', '\\\\\\\\').replaceAll('"', '\\"\\"')}\\"`;
}

/**
 * JSON texts as one parameter, a line each, which `string_to_array` splits. In a composite array each quotation mark would be
 * escaped twice, which costs 2 % of an authorization.
 * @throws Error when a text has a line break, which `JSON.stringify` never writes
 */
export function jsonLines(texts: string[]): string {
  for (const text of texts) if (text.includes('\n')) throw new Error('a JSON text has a line break');
  return texts.join('\n');
}
