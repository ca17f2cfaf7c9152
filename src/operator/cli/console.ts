/** Where the command line writes; tests collect it. */
export interface Console {
  out(line: string): void;
  err(line: string): void;
}

/** One line of JSON for programs, else what people read. */
export function show(console: Console, json: boolean | undefined, value: unknown, readable: string): void {
  console.out(json ? JSON.stringify(value) : readable);
}

/** What stands in a table. */
export type Cell = string | number | null | undefined;

/** Columns under their names; `(none)` without rows. */
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
  return value === null || value === undefined || value === '' ? '-' : String(value);
}
