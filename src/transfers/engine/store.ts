import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { PartyWord, TransferKind } from './kind';
import type { Change, Holding } from './position';
import type { Decision, Situation, Transfer } from './record';

const COLUMNS = [
  ...['id', 'kind', 'tenantId', 'accountId', 'status', 'terms', 'referenceId', 'idempotencyKey', 'partyRef'],
  ...[
    'orderedAt',
    'word',
    'wordAt',
    'doubted',
    'doubtedAt',
    'parts',
    'failure',
    'adopted',
    'revision',
    'quiet',
  ],
  ...['dueBy', 'completedAt', 'createdAt', 'updatedAt'],
];

/** Terms and words are checked where they are read: a row of an earlier release must not be taken for one of this. */
type Shapes<T, W extends PartyWord> = Pick<TransferKind<T, W>, 'terms' | 'word'>;

function transferOf<T, W extends PartyWord>({ terms, word }: Shapes<T, W>, row: Transfer): Transfer<T, W> {
  const shaped = (value: unknown) => (value === null ? null : word.parse(value));
  return { ...row, terms: terms.parse(row.terms), word: shaped(row.word), doubted: shaped(row.doubted) };
}

export async function insertTransfer(
  tx: Sql,
  transfer: Pick<Transfer, 'id' | 'kind' | 'tenantId' | 'accountId' | 'status' | 'terms' | 'referenceId'> &
    Pick<Transfer, 'idempotencyKey' | 'partyRef' | 'orderedAt' | 'dueBy' | 'createdAt'> & { party: string },
): Promise<void> {
  const { terms, createdAt, ...rest } = transfer;
  await tx.run(
    table('transfers').insert({ ...rest, terms: JSON.stringify(terms), createdAt, updatedAt: createdAt }),
  );
}

/** As it is now, with what was decided about it. */
export async function readSituation<T, W extends PartyWord>(
  sql: Sql,
  kind: Shapes<T, W>,
  id: string,
  at: Date,
): Promise<Situation<T, W> | undefined> {
  const [[row], decisions] = await Promise.all([
    sql.run<Transfer>(table('transfers').select(COLUMNS).where({ id })),
    decisionsOf(sql, id),
  ]);
  return row && { transfer: transferOf(kind, row), decisions, at };
}

/** The same, its row held to the end of the transaction; decisions are read under the lock. */
export async function lockSituation<T, W extends PartyWord>(
  tx: Tx,
  kind: Shapes<T, W>,
  id: string,
  at: Date,
): Promise<Situation<T, W> | undefined> {
  const [row] = await tx.run<Transfer>(table('transfers').select(COLUMNS).where({ id }).forNoKeyUpdate());
  return row && { transfer: transferOf(kind, row), decisions: await decisionsOf(tx, id), at };
}

export async function saveTransfer(tx: Sql, transfer: Transfer): Promise<void> {
  const { id, status, partyRef, orderedAt, word, wordAt, doubted, doubtedAt, parts } = transfer;
  const { failure, adopted, revision, quiet, dueBy, completedAt, updatedAt } = transfer;
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await tx.run(
    table('transfers')
      .where({ id })
      .update({
        ...{ status, partyRef, orderedAt, wordAt, doubtedAt, failure, adopted, revision, quiet, dueBy },
        ...{ completedAt, updatedAt },
        ...{ word: json(word), doubted: json(doubted), parts: json(parts) },
      }),
  );
}

type DecisionRow = Omit<Decision, 'amount'> & { amount: string | null };

const DECISION_COLUMNS = [
  ...['id', 'kind', 'amount', 'currency', 'accountId', 'data', 'reason', 'decidedBy', 'at'],
];

export async function decisionsOf(sql: Sql, transferId: string): Promise<Decision[]> {
  const rows = await sql.run<DecisionRow>(
    table('transfer_decisions').select(DECISION_COLUMNS).where({ transferId }).orderBy('id'),
  );
  return rows.map((row) => ({ ...row, amount: row.amount === null ? null : new Decimal(row.amount) }));
}

export async function insertDecisions(
  tx: Sql,
  transferId: string,
  decisions: readonly Decision[],
): Promise<void> {
  if (decisions.length === 0) return;
  await tx.run(
    table('transfer_decisions').insert(
      decisions.map(({ amount, data, ...rest }) => ({
        ...rest,
        transferId,
        amount: amount?.toFixed() ?? null,
        data: JSON.stringify(data),
      })),
    ),
  );
}

/** What is booked of a component and part, and whether it was ever changed. */
export async function bookedOf(sql: Sql, transferId: string): Promise<Holding[]> {
  const rows = await sql.run<
    Omit<Holding, 'account' | 'amount'> & { accountId: string | null; amount: string }
  >(
    table('transfer_entries')
      .select('component', 'part', 'accountId', 'currency')
      .sum({ amount: 'amount' })
      .where({ transferId })
      .groupBy('component', 'part', 'accountId', 'currency'),
  );
  return rows.map(({ component, part, accountId, currency, amount }) => ({
    ...{ component, part, account: accountId, currency },
    amount: new Decimal(amount),
  }));
}

export async function insertEntries(
  tx: Sql,
  transferId: string,
  changes: readonly Change[],
  at: Date,
): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(
    table('transfer_entries').insert(
      changes.map(({ component, part, account, currency, amount, reference }) => ({
        ...{ transferId, component, part, accountId: account, currency, amount: amount.toFixed() },
        ...{ referenceId: reference, at },
      })),
    ),
  );
}
