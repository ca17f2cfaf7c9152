import type { Cell, List } from '../../process/desk/list';

/** A column of money is two in CSV: the amount, and its currency. */
export function csvOf({ columns }: Pick<List, 'columns'>, rows: Record<string, Cell>[]): string {
  const names = Object.entries(columns);
  const head = names.flatMap(([name, { type }]) => (type === 'money' ? [name, `${name}Currency`] : [name]));
  const lines = rows.map((row) =>
    names.flatMap(([name, { type }]) => cellsOf(row[name] ?? null, type === 'money')),
  );
  return [head.map(quoted), ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

function cellsOf(cell: Cell, isMoney: boolean): string[] {
  if (isMoney) return cell !== null && typeof cell === 'object' ? [cell.amount, cell.currency] : ['', ''];
  return [quoted(textOf(cell))];
}

const textOf = (cell: Cell): string => {
  if (cell === null) return '';
  return typeof cell === 'object' ? `${cell.amount} ${cell.currency}` : String(cell);
};

/** Texts may come from strangers, and a spreadsheet would compute what begins like a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function quoted(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
