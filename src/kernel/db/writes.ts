import { createHash } from 'node:crypto';
import type { Sql, Tx } from './database';

/** One of several that a transaction sends as one statement. `$1`, `$2` … are its own values. */
export type Write = {
  /** The same name, the same text. */
  name: string;
  values: unknown[];
} & ({ statement: string } | { call: string });

/** Composed statements by the names of their parts. */
const composed = new Map<string, { name: string; text: string }>();

/**
 * Sends the writes as one statement, whose plan is kept: one message there and one back, whatever their number. None of
 * them may need to see what another writes.
 */
export async function writeTogether(tx: Sql, writes: (Write | undefined)[]): Promise<void> {
  const statement = together(writes);
  if (statement) await tx.prepared(statement.name, statement.text, statement.values);
}

/** The same with the commit: nobody waits for it. */
export function writeWithCommit(tx: Tx, writes: (Write | undefined)[]): void {
  const statement = together(writes);
  if (statement) tx.defer(statement);
}

function together(writes: (Write | undefined)[]) {
  const given = writes.filter((write) => write !== undefined);
  if (given.length === 0) return undefined;
  const parts = given.map((write) => write.name).join('+');
  let statement = composed.get(parts);
  if (!statement) composed.set(parts, (statement = { name: shortName(parts), text: compose(given) }));
  return { ...statement, values: given.flatMap((write) => write.values) };
}

/** Postgres counts 63 characters of a statement's name: of two that differ after these, one would run in place of the other. */
const shortName = (parts: string): string =>
  `writes_${createHash('sha256').update(parts).digest('hex').slice(0, 32)}`;

/**
 * Statements become common table expressions, each of which Postgres carries out once and to its end; calls of functions
 * are selected, for nobody would run one that stands in an expression which is not asked for.
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

type Cell = string | number | boolean | Date | null | undefined;

/**
 * Rows as the text of an array of a composite type, the cells in the order of its columns: Postgres reads it in about
 * half the time that the same takes as JSON.
 */
export function compositeArray(rows: Cell[][]): string {
  return `{${rows.map((row) => `"(${row.map(cellText).join()})"`).join()}}`;
}

/** Nothing in it that means anything in an array or in a row. */
const PLAIN = /^[\w.:+-]+$/;

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  const text = cell instanceof Date ? cell.toISOString() : String(cell);
  if (PLAIN.test(text)) return text;
  // A quotation mark and a backslash are doubled within the row, and what stands there escaped within the array.
  return `\\"${text.replaceAll('\\', '\\\\\\\\').replaceAll('"', '\\"\\"')}\\"`;
}
