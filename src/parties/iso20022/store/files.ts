import { filtered, NOW, raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';

export interface BankFile {
  id: number;
  direction: 'out' | 'in';
  kind: string;
  messageId: string | null;
  name: string;
  sha256: string | null;
  result: 'made' | 'staged' | 'placed' | 'booked' | 'refused';
  transactions: number;
  controlSum: Decimal;
  stagedAs: string | null;
  /** Sealed, bound to the message id. */
  content: Buffer | null;
  placedAt: Date | null;
}

const COLUMNS = [
  'id',
  'direction',
  'kind',
  'messageId',
  'name',
  'sha256',
  'result',
  'transactions',
  'controlSum',
  'stagedAs',
  'content',
  'placedAt',
];

const files = recordTable<BankFile>('bank_files', { id: safeInteger, controlSum: decimal }, COLUMNS);

type NewFile = Pick<BankFile, 'kind' | 'messageId' | 'name' | 'sha256'>;

/** Stores a file that is to be placed. @throws when its message id is used */
export const insertMade = (
  tx: Tx,
  file: NewFile & Pick<BankFile, 'content' | 'transactions' | 'controlSum'>,
): Promise<BankFile> =>
  files.saved(tx, files().insert(files.row({ ...file, direction: 'out', result: 'made' })));

/** The files that are not placed yet, oldest first. */
export const filesToPlace = (sql: Sql): Promise<BankFile[]> =>
  files.all(sql, files().whereIn('result', ['made', 'staged']).orderBy('id').limit(50));

/** Notes under which name a file was written. @returns false when another process has noted one first */
export async function noteStaged(sql: Sql, id: number, stagedAs: string): Promise<boolean> {
  const noted = files().where({ id, result: 'made' }).update({ result: 'staged', stagedAs });
  return (await sql.run(noted.returning('id'))).length === 1;
}

/** Locks a file that was written and has not got its name. Undefined while another process gives it. */
export const lockStaged = (tx: Tx, id: number): Promise<BankFile | undefined> =>
  files.one(tx, files().where({ id, result: 'staged' }).forUpdate().skipLocked());

export async function notePlaced(tx: Tx, id: number): Promise<void> {
  await tx.run(files().where({ id }).update({ result: 'placed', content: null, placedAt: NOW }));
}

/** Stores a file that is booked in this transaction. Waits for another process that takes the same message. @returns undefined when the message is known */
export const insertBooked = (tx: Tx, file: NewFile): Promise<BankFile | undefined> =>
  files.writtenOne(
    tx,
    files()
      .insert(files.row({ ...file, direction: 'in', result: 'booked' }))
      .onConflict(['direction', 'kind', 'message_id'])
      .ignore(),
  );

export const findReceived = (sql: Sql, kind: string, messageId: string): Promise<BankFile | undefined> =>
  files.one(sql, files().where({ direction: 'in', kind, messageId }));

export async function noteRepeat(sql: Sql, id: number): Promise<void> {
  await sql.run(
    table('bank_files')
      .where({ id })
      .update({ repeats: raw('repeats + 1') }),
  );
}

/** Stores a refused file, once for each name and content. */
export async function insertRefused(
  tx: Tx,
  file: Pick<BankFile, 'kind' | 'name' | 'sha256'> & { reason: string },
): Promise<void> {
  await tx.run(
    table('bank_files')
      .insert({ ...file, direction: 'in', messageId: null, result: 'refused' })
      .onConflict(raw(`(name, coalesce(sha256, '')) where result = 'refused'`))
      .ignore(),
  );
}

/** Our file of that message id. */
export const findSent = (sql: Sql, messageId: string): Promise<BankFile | undefined> =>
  files.one(sql, files().where({ direction: 'out', messageId }));

// Answers -----------------------------------------------------------------------------------------------------------

/** Files of orders that were placed and are waited for, the longest waiting first. */
export const unansweredFiles = (sql: Sql, most: number): Promise<BankFile[]> =>
  files.all(
    sql,
    files()
      .where({ direction: 'out', result: 'placed', kind: 'pain.001.001.09' })
      .whereNull('answeredAt')
      .whereNull('givenUpAt')
      .orderBy('placedAt')
      .limit(most),
  );

/** Locks a file that the bank has not answered, so that no answer comes between. Undefined: there is an answer. */
export const lockUnanswered = (tx: Tx, id: number): Promise<BankFile | undefined> =>
  files.one(tx, files().where({ id }).whereNull('answeredAt').forNoKeyUpdate());

/** Notes that the bank has answered a file of ours. @returns the file, where this is its first answer */
export const noteAnswered = (sql: Sql, id: number): Promise<BankFile | undefined> =>
  files.writtenOne(sql, files().where({ id }).whereNull('answeredAt').update({ answeredAt: NOW }));

/** Notes that a person waits for the bank's answer no more. */
export async function noteGivenUp(tx: Tx, id: number): Promise<void> {
  await tx.run(files().where({ id }).update({ givenUpAt: NOW }));
}

/** The number of files that were refused since then. */
export async function countRefused(sql: Sql, since: Date): Promise<number> {
  const [row] = await sql.run<{ count: number }>(
    table('bank_files')
      .where({ result: 'refused' })
      .where('createdAt', '>=', since)
      .select(raw('count(*)::int as count')),
  );
  return row?.count ?? 0;
}

// The desk ----------------------------------------------------------------------------------------------------------

/** A file as operators see it: without its content. */
export interface FileLine
  extends Pick<BankFile, 'id' | 'direction' | 'kind' | 'messageId' | 'name' | 'result' | 'transactions'> {
  reason: string | null;
  repeats: number;
  createdAt: Date;
  answeredAt: Date | null;
  givenUpAt: Date | null;
}

const lines = recordTable<FileLine>('bank_files', { id: safeInteger }, [
  'id',
  'direction',
  'kind',
  'messageId',
  'name',
  'result',
  'transactions',
  'reason',
  'repeats',
  'createdAt',
  'answeredAt',
  'givenUpAt',
]);

/** A page of all files, newest first. @param below only files with a smaller id */
export function listFiles(
  sql: Sql,
  given: {
    direction?: BankFile['direction'] | undefined;
    result?: BankFile['result'] | undefined;
    below?: string | undefined;
    limit: number;
  },
): Promise<FileLine[]> {
  const { direction, result, below, limit } = given;
  const page = lines().modify(filtered, { direction, result }).orderBy('id', 'desc').limit(limit);
  if (below !== undefined) void page.where('id', '<', /^\d{1,18}$/.test(below) ? below : 0);
  return lines.all(sql, page);
}
