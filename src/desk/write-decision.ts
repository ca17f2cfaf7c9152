import { audit } from '../kernel/audit/audit';
import type { Tx } from '../kernel/db/database';
import type { Approval } from '../process/approvals/operations';
import { whatOf } from '../process/approvals/view';
import type { Decision, Done } from '../process/desk/decision';
import type { AnyJudged, Asker } from './judge';

/** A decision that was carried out. */
interface CarriedOut {
  decision: Decision;
  judged: AnyJudged;
  done: Done;
  /** For the entry, beside what the decision has done. */
  more: object;
}

/** Writes a decision that was carried out to the audit log. */
export async function writeDone(
  tx: Tx,
  asker: Asker,
  { decision, judged, done, more }: CarriedOut,
): Promise<void> {
  await write(tx, asker, {
    action: decision.name,
    subject: done.about?.id ?? judged.id,
    tenantId: done.about ? done.about.tenantId : decision.subject.tenantOf(judged.subject),
    before: done.before,
    after: { ...done.after, ...more },
  });
  for (const entry of done.also ?? []) await write(tx, asker, entry);
}

/** Writes to the audit log that an approval was asked for, approved or rejected. */
export function writeApproval(
  tx: Tx,
  asker: Asker,
  action: 'approval.ask' | 'approval.approve' | 'approval.reject',
  { approval, more = {} }: { approval: Approval; more?: object },
): Promise<void> {
  const { id: subject, kind, subject: about, reason, requestedBy, note, tenantId, status } = approval;
  const after = { kind, about, money: whatOf(approval), reason, requestedBy, note, status, ...more };
  return write(tx, asker, { action, subject, tenantId, after });
}

interface Entry {
  action: string;
  subject: string;
  tenantId: string | null;
  before?: unknown;
  after: unknown;
}

const write = (tx: Tx, { actor, requestId }: Asker, { action, subject, tenantId, before, after }: Entry) =>
  audit(tx, {
    caller: { tenantId: actor, role: 'admin' },
    requestId,
    action,
    subject,
    tenantId,
    before,
    after,
  });
