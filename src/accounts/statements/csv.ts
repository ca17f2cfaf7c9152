import type { OpenStatement } from './operations';
import { headView, lineView, totalView } from './view';

const COLUMNS = [
  'row',
  'timestamp',
  'id',
  'type',
  'subtype',
  'referenceId',
  'linkedId',
  'remitterName',
  'remitterIban',
  'amount',
  'change',
  'balance',
  'currency',
  'count',
] as const;

type Cells = Partial<Record<(typeof COLUMNS)[number], string | undefined>>;

/**
 * A statement as CSV (RFC 4180), in pieces. The column `row` tells the opening balance, lines, totals by type and the
 * closing balance apart.
 */
export async function* statementCsv(statement: OpenStatement): AsyncGenerator<string> {
  const { currency } = statement;
  const { from, to, openingBalance, closingBalance } = headView(statement);
  const opening = { row: 'opening', timestamp: from, balance: openingBalance, currency };
  yield COLUMNS.join() + END + rowOf(opening);
  const portions = statement.portions();
  for (;;) {
    const { done, value } = await portions.next();
    if (done) {
      const totals = value.map((total) => totalView(total, currency));
      yield totals
        .map((total) => rowOf({ row: 'total', ...total, currency, count: String(total.count) }))
        .join('');
      yield rowOf({ row: 'closing', timestamp: to, balance: closingBalance, currency });
      return;
    }
    yield value
      .map((line) => {
        const { remitter, ...cells } = lineView(line, currency);
        return rowOf({
          row: 'line',
          ...cells,
          remitterName: remitter?.name,
          remitterIban: remitter?.iban,
          currency,
        });
      })
      .join('');
  }
}

const END = '\r\n';

const rowOf = (cells: Cells): string => COLUMNS.map((column) => cellOf(cells[column] ?? '')).join() + END;

/** A number is no formula, so a negative amount stays a number. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** Spreadsheets evaluate a cell that begins so (OWASP, CSV injection), also after white space. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/** A cell that a spreadsheet shows as text. */
export function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
