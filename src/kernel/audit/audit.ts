import { toUSVString } from 'node:util';
import type { Caller } from '../caller';
import { table } from '../db/build';
import type { Sql } from '../db/database';

export interface AuditRecord {
  caller: Pick<Caller, 'tenantId' | 'role'>;
  requestId: string;
  /** The operation in the interface's words: `accounts.admin-deposit`. */
  action: string;
  /** The id of the record that was changed or seen. */
  subject: string;
  /** Whose record it is. */
  tenantId: string | null;
  /** What it was and became: states, amounts, names of fields. Never a secret, never personal data. */
  before?: unknown;
  after?: unknown;
}

/** Writes down who did what (decisions part 1, Roles), in the transaction of what was done. */
export async function audit(tx: Sql, record: AuditRecord): Promise<void> {
  const { caller, action, subject, tenantId, requestId, before, after } = record;
  await tx.run(
    table('audit_log').insert({
      actor: caller.tenantId,
      action,
      subject,
      tenantId,
      requestId,
      before: json(before),
      after: json(after),
    }),
  );
}

/** The same for what clients may do too: only an admin's calls are written down. */
export async function auditAdmin(tx: Sql, record: AuditRecord): Promise<void> {
  if (record.caller.role === 'admin') await audit(tx, record);
}

/** jsonb refuses halves of surrogate pairs and NUL, which a caller's text may hold. */
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

/** The newest of a subject, in the order in which they were written. */
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
