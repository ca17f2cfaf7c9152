import type { Sql, Tx } from '../kernel/db/database';
import { conflict, Problem } from '../kernel/errors';
import {
  type Approval,
  assertSealed,
  decideApproval,
  requireApproval,
} from '../process/approvals/operations';
import type { Decision, Facts } from '../process/desk/decision';
import { termsOf } from '../process/desk/stored';
import { limitText, readLimits } from '../process/limits/operations';
import { type Asker, type Deciding, inputOf, judgedOf } from './judge';
import { assertMay, assertStandsBehind } from './operators/operations';
import { assertUnchanged } from './version';
import { writeApproval, writeDone } from './write-decision';

export interface Approved {
  approval: Approval;
  /** Absent when it was rejected, or when a second operator must still approve it. */
  result?: object;
}

/**
 * Asks parties for the evidence that an approval needs, before its transaction begins.
 * @throws Problem 404; 409 `invalid_transition` for a decision of a former release; Problem of the domain
 */
export async function proveApproval(desk: Deciding, sql: Sql, id: string): Promise<unknown> {
  const approval = await requireApproval(sql, id);
  if (approval.status !== 'pending') return undefined;
  const decision = storedDecision(desk, approval);
  return decision.prove?.({ id: approval.subject, ...storedInput(decision, approval) });
}

/**
 * Approves another operator's decision and carries it out in the same transaction, by the present rules. If those
 * refuse the decision, or a fact that it rests on has changed, the approval still waits. A request of an operator who was disabled since does not
 * count.
 * @throws Problem 404; 403; 409 `version_conflict`, `invalid_transition`; Problem of the domain
 */
export async function approve(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  { id, note, proof }: { id: string; note: string | null; proof: unknown },
): Promise<Approved> {
  const asked = await requireApproval(tx, id);
  assertSealed(desk.keyring, asked);
  const decision = storedDecision(desk, asked);
  const { actor } = asker;
  await decision.subject.lockFirst?.(tx);
  await assertMay(tx, asker, decision.permission);
  const at = desk.now();
  const approval = await decideApproval(tx, { id, status: 'approved', note, decidedBy: actor, at });
  for (const other of [approval.requestedBy, approval.firstBy])
    if (other !== null) await assertStandsBehind(tx, other);
  const limit = limitText(await readLimits(tx));
  await writeApproval(tx, asker, 'approval.approve', { approval, more: { limit } });
  if (approval.status === 'pending') return { approval };
  const { subject: named, restsOn, reason } = approval;
  const stored = storedInput(decision, approval);
  const judged = await judgedOf(tx, decision, 'lock', { ...stored, named, at, actor, proof });
  assertUnchanged((restsOn ?? {}) as Facts, decision.restsOn(judged.subject, judged.input));
  const done = await decision.execute(tx, judged, { decidedBy: actor, reason });
  await writeDone(tx, asker, { decision, judged, done, more: { reason, limit } });
  return { approval, result: done.result };
}

/**
 * Rejects a stored decision. The operator who asked for it takes it back so. A decision that this release no longer has
 * is ended with the permission `security`.
 * @throws Problem 404; 403; 409
 */
export async function reject(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  { id, note }: { id: string; note: string },
): Promise<Approved> {
  const { kind } = await requireApproval(tx, id);
  await assertMay(tx, asker, desk.catalogue.decisions.get(kind)?.permission ?? 'security');
  const given = { id, status: 'rejected', note, decidedBy: asker.actor, at: desk.now() } as const;
  const approval = await decideApproval(tx, given);
  await writeApproval(tx, asker, 'approval.reject', { approval });
  return { approval };
}

/** @throws Problem 409 for a kind that only another release has */
function storedDecision({ catalogue }: Deciding, { kind }: Approval): Decision {
  const found = catalogue.decisions.get(kind);
  if (!found) throw ofAnotherRelease(`this release has no decision ${kind}`);
  return found;
}

/** The input of an approval, and its secret. @throws Problem 409 for an input that only another release can read */
function storedInput(decision: Decision, { terms }: Approval) {
  const { input, secret } = termsOf(terms);
  try {
    return { input: inputOf(decision, input), secret };
  } catch (error) {
    if (error instanceof Problem && error.status === 400)
      throw ofAnotherRelease(`this release cannot read the input of the decision (${error.message})`);
    throw error;
  }
}

const ofAnotherRelease = (why: string): Problem =>
  conflict(
    'invalid_transition',
    `Another release stored this approval, and ${why}. Reject it, and ask again.`,
  );
