import { toUSVString } from 'node:util';
import { type Caller, deciderOf } from '../caller';
import { table } from '../db/build';
import type { Sql } from '../db/database';

export interface AuditRecord {
  caller: Pick<Caller, 'tenantId' | 'role' | 'operator'>;
  requestId: string;
  /** The operation in the interface's words: `accounts.admin-deposit`; or its name in the API's document: `getUser`. */
  action: string;
  /** The id of the record that was changed or seen. */
  subject: string;
  /** The tenant that owns the record. Null for records of no tenant, and in entries that the API writes by itself. */
  tenantId: string | null;
  /** States, amounts and field names before and after the change. Never a secret or personal data. */
  before?: unknown;
  after?: unknown;
}

/** Transactions with an entry. */
const audited = new WeakSet<Sql>();

/** Whether the transaction has written an entry. */
export const isAudited = (tx: Sql): boolean => audited.has(tx);

/** Records who did what, in the transaction of the change (decisions part 1, Roles). */
export async function audit(tx: Sql, record: AuditRecord): Promise<void> {
  audited.add(tx);
  const { caller, action, subject, tenantId, requestId, before, after } = record;
  await tx.run(
    table('audit_log').insert({
      actor: deciderOf(caller),
      action,
      subject,
      tenantId,
      requestId,
      before: json(before),
      after: json(after),
    }),
  );
}

/** Records calls of admins only. For operations that clients may call as well. */
export async function auditAdmin(tx: Sql, record: AuditRecord): Promise<void> {
  if (record.caller.role === 'admin') await audit(tx, record);
}

/** Replaces NUL and lone surrogates, which callers may send and jsonb refuses. */
function json(value: unknown): string | null {
  if (value === undefined) return null;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? toUSVString(part).replaceAll('\0', '\ufffd') : part,
  );
}

/** A line of the audit log. */
export interface AuditLine {
  at: Date;
  actor: string;
  action: string;
  before: unknown;
  after: unknown;
}

/** The newest lines about a subject, oldest first. */
export async function auditOf(sql: Sql, subject: string, limit: number): Promise<AuditLine[]> {
  const newest = await sql.run<AuditLine>(
    table('audit_log')
      .select('at', 'actor', 'action', 'before', 'after')
      .where({ subject })
      .orderBy('id', 'desc')
      .limit(limit),
  );
  return newest.reverse();
}
