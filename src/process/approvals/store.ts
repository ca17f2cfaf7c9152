import type { Sql } from '../../kernel/db/database';
import { decimal, json, recordTable } from '../../kernel/db/record-table';
import {
  countWaiting,
  type WaitingColumns,
  type WaitingCount,
  type WaitingFilter,
  waitingPage,
} from '../../kernel/db/waiting';
import type { Approval, DecideApproval, Money } from './record';

type Row = Omit<Approval, 'money'> & { [Field in keyof Money]: Money[Field] | null };

const approvals = recordTable<Row>(
  'approvals',
  { amount: decimal, terms: json, changes: json, restsOn: json },
  [
    'id',
    'kind',
    'subject',
    'tenantId',
    'amount',
    'currency',
    'terms',
    'changes',
    'restsOn',
    'reason',
    'requestedBy',
    'requestedAt',
    'status',
    'permission',
    'seal',
    'needs',
    'firstBy',
    'firstAt',
    'decidedBy',
    'decidedAt',
    'note',
  ],
);

const approvalOf = ({ amount, currency, ...row }: Row): Approval => ({
  ...row,
  money: amount === null || currency === null ? null : { amount, currency },
});

export type NewApproval = Omit<
  Approval,
  'status' | 'firstBy' | 'firstAt' | 'decidedBy' | 'decidedAt' | 'note'
>;

export async function insertApproval(tx: Sql, { money, ...given }: NewApproval): Promise<Approval> {
  const { amount, currency } = money ?? { amount: null, currency: null };
  const row = approvals.row({ ...given, amount, currency });
  return approvalOf(await approvals.saved(tx, approvals().insert(row)));
}

/** Lists approvals, the longest pending first. @param all includes decided ones */
export async function listApprovals(sql: Sql, all: boolean, limit: number): Promise<Approval[]> {
  const query = approvals().orderBy(['requestedAt', 'id']).limit(limit);
  if (!all) void query.where({ status: 'pending' });
  return (await approvals.all(sql, query)).map(approvalOf);
}

const WAITING: WaitingColumns = {
  id: 'id',
  since: 'requested_at',
  tenantId: 'tenant_id',
  kind: 'kind',
  currency: 'currency',
};

const waiting = () => approvals().where({ status: 'pending' });

/** A page of the pending approvals. @throws Problem 400 */
export const approvalsToDecide = async (sql: Sql, filter: WaitingFilter) =>
  (await approvals.all(sql, waiting().modify(waitingPage, WAITING, filter))).map(approvalOf);

export const countApprovals = (sql: Sql): Promise<WaitingCount> => countWaiting(sql, waiting(), WAITING);

export async function findApproval(sql: Sql, id: string): Promise<Approval | undefined> {
  const row = await approvals.one(sql, approvals().where({ id }));
  return row && approvalOf(row);
}

export async function lockApproval(tx: Sql, id: string): Promise<Approval | undefined> {
  await tx.query('select hold_approval($1)', [id]);
  return findApproval(tx, id);
}

/** Stores a decision by the function with the owner's rights, which demands the operator's session. */
export async function saveDecision(
  tx: Sql,
  { id, status, note, decidedBy, at }: DecideApproval,
): Promise<Approval> {
  await tx.query('select decide_approval($1, $2, $3, $4, $5)', [id, status, note, decidedBy, at]);
  const found = await findApproval(tx, id);
  if (!found) throw new Error(`the approval ${id} does not exist`);
  return found;
}

/** The newest approvals about a subject that operators have approved. */
export async function approvedAbout(sql: Sql, subject: string, limit: number): Promise<Approval[]> {
  const query = approvals().where({ subject, status: 'approved' }).orderBy('decidedAt', 'desc');
  return (await approvals.all(sql, query.limit(limit))).map(approvalOf);
}

/** The pending approvals about a subject, the oldest first. */
export async function pendingAbout(
  sql: Sql,
  { kind, subject }: Pick<Approval, 'kind' | 'subject'>,
  limit: number,
): Promise<Approval[]> {
  const query = waiting().where({ kind, subject }).orderBy(['requestedAt', 'id']).limit(limit);
  return (await approvals.all(sql, query)).map(approvalOf);
}
