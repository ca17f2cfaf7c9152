import { Readable } from 'node:stream';
import { statementCsv } from './csv';
import { statementJson } from './json';
import { type OpenStatement, openStatement, type StatedAccount } from './operations';
import { statementPdf } from './pdf';
import type { Period } from './record';
import type { StatementServices } from './services';

export const TYPES = { json: 'application/json', csv: 'text/csv', pdf: 'application/pdf' } as const;
export type Format = keyof typeof TYPES;
export const FORMATS = Object.keys(TYPES) as [Format, ...Format[]];

export interface StatementFile {
  contentType: string;
  /** `statement-acc_…-2026-03-01-2026-04-01.csv`. */
  fileName: string;
  content: Readable | Buffer;
}

/** The statement of a period as a file. Only a PDF is in memory as a whole. */
export async function statementFile(
  services: StatementServices,
  account: StatedAccount,
  { from, to, format }: Period & { format: Format },
): Promise<StatementFile> {
  const statement = await openStatement(services, account, { from, to });
  return {
    contentType: format === 'csv' ? `${TYPES.csv}; charset=utf-8; header=present` : TYPES[format],
    fileName: `statement-${account.id}-${dayOf(from)}-${dayOf(to)}.${format}`,
    content: await CONTENT[format](statement),
  };
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

const CONTENT: Record<Format, (statement: OpenStatement) => Promise<Readable | Buffer>> = {
  json: (statement) => streamed(statementJson(statement)),
  csv: (statement) => streamed(statementCsv(statement)),
  pdf: statementPdf,
};

/** Streams a text in pieces. The first pieces are made before the answer begins, so that their error is answered. */
async function streamed(pieces: AsyncGenerator<string>): Promise<Readable> {
  const begun: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    const piece = await pieces.next();
    if (!piece.done) begun.push(piece.value);
  }
  async function* all(): AsyncGenerator<string> {
    yield* begun;
    yield* pieces;
  }
  return Readable.from(all());
}
