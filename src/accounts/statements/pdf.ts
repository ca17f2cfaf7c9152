import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '../../kernel/errors';
import type { OpenStatement } from './operations';
import type { StatementLine, StatementTotal } from './record';
import { headView, lineView, totalView } from './view';

/** Beyond it, a PDF serves nobody and takes the process seconds. */
const MAX_LINES = 10_000;

/**
 * A statement as PDF with an embedded font of Latin, Greek, Cyrillic and further letters.
 * @throws Problem 400 above 10,000 lines
 */
export async function statementPdf(statement: OpenStatement): Promise<Buffer> {
  const { lines, totals } = await readWhole(statement);
  const { currency } = statement;
  const paper = await blankPaper(`Statement of ${statement.accountId}`);
  writeHead(paper, statement);
  paper.heading(LINE_COLUMNS, ['Time (UTC)', 'Type', 'Reference', 'Change', 'Balance']);
  for (const line of lines) {
    const { timestamp, type, subtype, referenceId, remitter, change, balance } = lineView(line, currency);
    if (
      paper.row([
        timestamp.slice(0, 23).replace('T', ' '),
        kindOf({ type, subtype }),
        referenceId,
        change,
        balance,
      ])
    )
      await nextTurn(); // a long statement must not hold up the requests of the process
    if (remitter) paper.note([remitter.name, remitter.iban].filter(Boolean).join(', '));
  }
  paper.gap();
  paper.heading(TOTAL_COLUMNS, ['Totals by type', 'Lines', 'Change']);
  for (const total of totals) {
    const { type, subtype, count, change } = totalView(total, currency);
    paper.row([kindOf({ type, subtype }), String(count), change]);
  }
  return paper.finished();
}

const kindOf = ({ type, subtype }: { type: string; subtype?: string | undefined }): string =>
  subtype ? `${type}/${subtype}` : type;

async function readWhole(
  statement: OpenStatement,
): Promise<{ lines: StatementLine[]; totals: StatementTotal[] }> {
  const lines: StatementLine[] = [];
  const portions = statement.portions();
  for (;;) {
    const { done, value } = await portions.next();
    if (done) return { lines, totals: value };
    lines.push(...value);
    if (lines.length > MAX_LINES)
      throw invalid(
        `format must be csv or json, because a PDF has at most ${MAX_LINES.toLocaleString('en')} lines.`,
        'format',
      );
  }
}

function writeHead({ title, pair, gap }: Paper, statement: OpenStatement): void {
  const { accountId, currency, from, to, complete, openingBalance, closingBalance } = headView(statement);
  title('Statement of account');
  pair('Account', accountId);
  pair('Currency', currency);
  pair('From', from);
  pair('To (excluded)', complete ? to : `${to}, not ended yet`);
  pair('Opening balance', openingBalance);
  pair('Closing balance', closingBalance);
  gap();
}

interface Column {
  /** Points from the left margin. */
  x: number;
  width: number;
  align?: 'right';
}

/** Wide enough for each type, each reference, and an amount of 15 integer digits and 18 decimals. */
const LINE_COLUMNS: Column[] = [
  { x: 0, width: 95 },
  { x: 98, width: 155 },
  { x: 256, width: 142 },
  { x: 401, width: 182, align: 'right' },
  { x: 586, width: 186, align: 'right' },
];
const TOTAL_COLUMNS: Column[] = [
  { x: 0, width: 253 },
  { x: 256, width: 142, align: 'right' },
  { x: 401, width: 182, align: 'right' },
];

/** A4 across, in points. */
const MARGIN = 35;
const WIDTH = 772;
const BOTTOM = 545;
const ROW = 12;
const SIZE = 7;

type Paper = Awaited<ReturnType<typeof blankPaper>>;

/** A4 pages that are written from top to bottom. Library and fonts load with the first PDF, so no start pays for them. */
async function blankPaper(name: string) {
  const { default: PdfDocument } = await import('pdfkit');
  const fonts = join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
  const regular = join(fonts, 'DejaVuSans.ttf');
  const bold = join(fonts, 'DejaVuSans-Bold.ttf');
  const document = new PdfDocument({
    size: 'A4',
    layout: 'landscape',
    margin: MARGIN,
    font: regular,
    lang: 'en',
    info: { Title: name },
  });
  const pieces: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    document
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', resolve)
      .on('error', reject);
  });
  let y = MARGIN;
  let page = 1;
  let columns: Column[] = [];
  let titles: string[] = [];

  function write(text: string, { x, width, align }: Column, font = regular, size = SIZE): void {
    document.font(font).fontSize(size);
    document.text(text, MARGIN + x, y, {
      width,
      height: ROW,
      lineBreak: false,
      ellipsis: true,
      align: align ?? 'left',
    });
  }
  function cells(texts: string[], font?: string): void {
    for (const [index, column] of columns.entries()) write(texts[index] ?? '', column, font);
    y += ROW;
  }
  function footer(): void {
    y = BOTTOM;
    write(`${name}, page ${page}`, { x: 0, width: WIDTH });
  }
  /** @returns whether a new page was begun */
  function turned(): boolean {
    if (y + ROW <= BOTTOM - ROW) return false;
    footer();
    document.addPage();
    page += 1;
    y = MARGIN;
    cells(titles, bold);
    return true;
  }

  return {
    title(text: string): void {
      write(text, { x: 0, width: WIDTH }, bold, 14);
      y += 2 * ROW;
    },
    pair(label: string, value: string): void {
      write(label, { x: 0, width: 95 }, bold);
      write(value, { x: 98, width: WIDTH - 98 });
      y += ROW;
    },
    gap(): void {
      y += ROW;
    },
    /** Begins a table, whose titles are repeated on each page. */
    heading(of: Column[], texts: string[]): void {
      columns = of;
      titles = texts;
      if (!turned()) cells(texts, bold);
    },
    row(texts: string[]): boolean {
      const isNew = turned();
      cells(texts);
      return isNew;
    },
    /** A text below a row, as wide as the table. */
    note(text: string): void {
      turned();
      write(text, { x: 98, width: WIDTH - 98 });
      y += ROW;
    },
    async finished(): Promise<Buffer> {
      footer();
      document.end();
      await ended;
      return Buffer.concat(pieces);
    },
  };
}
