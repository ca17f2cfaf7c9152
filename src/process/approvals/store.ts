import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import {
  countWaiting,
  type WaitingColumns,
  type WaitingCount,
  type WaitingFilter,
  waitingPage,
} from '../../kernel/db/waiting';
import { Decimal } from '../../kernel/money/money';
import type { Approval } from './record';

type Row = Omit<Approval, 'money'> & { amount: string | null; currency: string | null };

const COLUMNS = [
  ...['id', 'kind', 'subject', 'tenantId', 'amount', 'currency', 'terms', 'changes', 'reason'],
  ...[
    'requestedBy',
    'requestedAt',
    'status',
    'needs',
    'firstBy',
    'firstAt',
    'decidedBy',
    'decidedAt',
    'note',
  ],
];

const approvals = () => table('approvals');

const approvalOf = ({ amount, currency, ...row }: Row): Approval => ({
  ...row,
  money: amount === null || currency === null ? null : { amount: new Decimal(amount), currency },
});

export type NewApproval = Omit<
  Approval,
  'status' | 'firstBy' | 'firstAt' | 'decidedBy' | 'decidedAt' | 'note'
>;

export async function insertApproval(
  tx: Sql,
  { money, terms, changes, ...given }: NewApproval,
): Promise<Approval> {
  const row = {
    ...{ ...given, amount: money?.amount.toFixed() ?? null, currency: money?.currency ?? null },
    ...{ terms: JSON.stringify(terms), changes: JSON.stringify(changes) },
  };
  const [made] = await tx.run<Row>(approvals().insert(row).returning(COLUMNS));
  return approvalOf(made as Row);
}

/** Lists approvals, the longest pending first. @param all includes decided ones */
export async function listApprovals(sql: Sql, all: boolean, limit: number): Promise<Approval[]> {
  const query = approvals().select(COLUMNS).orderBy(['requestedAt', 'id']).limit(limit);
  if (!all) void query.where({ status: 'pending' });
  return (await sql.run<Row>(query)).map(approvalOf);
}

const WAITING: WaitingColumns = {
  ...{ id: 'id', since: 'requested_at', tenantId: 'tenant_id' },
  ...{ kind: 'kind', currency: 'currency' },
};

const waiting = () => approvals().where({ status: 'pending' });

/** A page of the pending approvals. @throws Problem 400 */
export async function approvalsToDecide(sql: Sql, filter: WaitingFilter): Promise<Approval[]> {
  const rows = await sql.run<Row>(waiting().select(COLUMNS).modify(waitingPage, WAITING, filter));
  return rows.map(approvalOf);
}

export const countApprovals = (sql: Sql): Promise<WaitingCount> => countWaiting(sql, waiting(), WAITING);

export async function findApproval(sql: Sql, id: string): Promise<Approval | undefined> {
  const [row] = await sql.run<Row>(approvals().select(COLUMNS).where({ id }));
  return row && approvalOf(row);
}

export async function lockApproval(tx: Sql, id: string): Promise<Approval | undefined> {
  const [row] = await tx.run<Row>(approvals().select(COLUMNS).where({ id }).forNoKeyUpdate());
  return row && approvalOf(row);
}

export async function saveDecision(
  tx: Sql,
  { id, ...decided }: Pick<Approval, 'id' | 'status' | 'decidedBy' | 'decidedAt' | 'note'>,
): Promise<Approval> {
  const [row] = await tx.run<Row>(approvals().where({ id }).update(decided).returning(COLUMNS));
  return approvalOf(row as Row);
}

/** Stores the first of two approvals. */
export async function saveFirst(
  tx: Sql,
  { id, ...first }: Pick<Approval, 'id' | 'firstBy' | 'firstAt'>,
): Promise<Approval> {
  const [row] = await tx.run<Row>(approvals().where({ id }).update(first).returning(COLUMNS));
  return approvalOf(row as Row);
}

/** The pending approvals about a subject, the oldest first. */
export async function pendingAbout(
  sql: Sql,
  { kind, subject }: Pick<Approval, 'kind' | 'subject'>,
  limit: number,
): Promise<Approval[]> {
  const query = waiting()
    .select(COLUMNS)
    .where({ kind, subject })
    .orderBy(['requestedAt', 'id'])
    .limit(limit);
  return (await sql.run<Row>(query)).map(approvalOf);
}
