import { printable, UNPRINTABLE } from '../shown-text';

export { ageText, printable } from '../shown-text';

/** A value in a table for people. */
export type Cell = string | number | null | undefined;

/** Output of the command line, which tests collect, and input for values that must not be arguments. */
export interface Console {
  out(line: string): void;
  err(line: string): void;
  /** The whole standard input. Absent when there is none. */
  read?(): Promise<string>;
  /** A terminal with a person before it. Absent where input or output goes elsewhere. */
  terminal?: Terminal | undefined;
}

export interface Terminal {
  /** Shows a text until the person has confirmed, then wipes the screen and what could be scrolled back. */
  showAlone(text: string): Promise<void>;
}

/** JSON with escapes, because JSON itself leaves these characters unescaped. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Prints one line of JSON for programs, otherwise text for people. */
export function show(console: Console, json: boolean | undefined, value: unknown, readable: string): void {
  console.out(json ? jsonOf(value) : readable);
}

/** A table with headings, or `(none)` without rows. */
export function table(columns: string[], rows: Cell[][]): string {
  if (rows.length === 0) return '(none)';
  const texts = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, index) => Math.max(...texts.map((row) => row[index]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return texts.map(line).join('\n');
}

function cellText(value: Cell): string {
  return value === null || value === undefined || value === '' ? '-' : printable(String(value));
}
