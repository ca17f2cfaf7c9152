import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { isId } from '../../kernel/ids';
import {
  type Approval,
  decideApproval,
  findApproval,
  requestApproval,
} from '../../process/approvals/operations';
import { whatOf } from '../../process/approvals/view';
import {
  countAlone,
  isDualControlled,
  limitText,
  readLimits,
  reasonText,
  type Weight,
  weighAlone,
} from '../../process/limits/operations';
import { assertStandsBehind } from '../operators/operations';
import type { ChangeEntry, Session } from '../session';
import { CHANGE_KINDS } from './changes';
import { CLIENT_CHANGES, type ClientChange } from './clients';
import type { AnyDecisionKind, AnyGuardedChange, Done, Executed, Weighed } from './kind';
import { DECISION_KINDS, type DecisionName } from './kinds';

/** The decision was carried out, or waits for another operator's approval. */
export type Outcome = { done: Done } | { asked: Approval; weight: Weight };

/**
 * Carries a decision out, or stores it for another operator's approval when the sums of decisions made alone would
 * exceed the installation's limit (decisions part 2). Judged by the present rules in both cases.
 * @param terms of the kind's own schema, amounts as text
 * @throws Problem of the kind; 401
 */
export async function decideOrAsk(
  session: Session,
  name: DecisionName,
  terms: object,
  reason: string,
): Promise<Outcome> {
  const kind: AnyDecisionKind = DECISION_KINDS[name];
  const proof = await kind.prove(session, terms);
  return session.change(
    async (tx): Promise<Outcome> => {
      const by = { reason, decidedBy: session.actor };
      const { weighed, weight } = await weigh(session, tx, kind, { terms, proof });
      const { ever: _, terms: settled, amount, currency, ...about } = weighed;
      if (weight.takesTwo === null) {
        const limit = countAlone(tx, weight);
        return { done: limited(await kind.execute(session, tx, settled, by, proof), limit) };
      }
      const requested = { requestedBy: session.actor, requestedAt: weight.alone.at };
      const money = { amount, currency };
      const given = { ...about, ...requested, money, terms: settled, kind: name, reason };
      return { asked: await requestApproval(tx, given), weight };
    },
    (outcome) => {
      if ('done' in outcome) return outcome.done.entry;
      const { limits, takesTwo } = outcome.weight;
      const reason = takesTwo && reasonText(takesTwo);
      return entryOf('approval.ask', outcome.asked, { limit: limitText(limits), ...reason });
    },
  );
}

/**
 * Weighs a decision while the locks of the sums are held. If a party can raise the amount meanwhile, the subject is
 * locked and weighed again, so that no more is carried out than was weighed.
 */
async function weigh(
  session: Session,
  tx: Tx,
  kind: AnyDecisionKind,
  { terms, proof }: { terms: object; proof: unknown },
): Promise<{ weighed: Weighed; weight: Weight }> {
  const by = { decidedBy: session.actor, at: session.now() };
  const weightOf = async ({ terms: _, ...about }: Weighed): Promise<Weight> => {
    const weight = await weighAlone(tx, { ...about, ...by });
    return kind.always ? { ...weight, takesTwo: { why: 'always' } } : weight;
  };
  const weighed = await kind.weigh(session, tx, terms, proof);
  const weight = await weightOf(weighed);
  if (!kind.hold) return { weighed, weight };
  await kind.hold(session, tx, weighed.subject);
  const held = await kind.weigh(session, tx, terms, proof);
  return { weighed: held, weight: await weightOf(held) };
}

/**
 * Makes an operator's change at once, unless dual control requires another operator's approval (decisions part 2, Two
 * people).
 * @param terms of the kind's own schema
 * @throws Problem of the kind; 401
 */
export function changeOrAsk(
  session: Session,
  name: ClientChange,
  terms: object,
  reason: string,
): Promise<{ done: Done } | { asked: Approval }> {
  const kind: AnyGuardedChange = CLIENT_CHANGES[name];
  return session.change(
    async (tx): Promise<{ done: Done } | { asked: Approval }> => {
      const { isGuarded, ...judged } = await kind.judge(session, tx, terms);
      const by = { reason, decidedBy: session.actor };
      if (!isGuarded || !(await isDualControlled(tx)))
        return { done: await kind.execute(session, tx, judged.terms, by, undefined) };
      const requested = { requestedBy: session.actor, requestedAt: session.now() };
      return {
        asked: await requestApproval(tx, { ...judged, ...requested, kind: name, money: null, reason }),
      };
    },
    (outcome) => ('done' in outcome ? outcome.done.entry : entryOf('approval.ask', outcome.asked)),
  );
}

/** Adds the limit in force to the audit entry. */
const limited = ({ entry, result }: Done, limit: string | null): Done => ({
  result,
  entry: { ...entry, after: { ...(entry.after as object), limit } },
});

export interface Decided {
  approval: Approval;
  /** Absent when it was rejected, or when a second operator must still approve it. */
  done?: Done;
  /** Limit in force at the approval. */
  limit?: string | null;
}

/**
 * Approves another operator's request and carries it out in the same transaction, by the present rules. If those refuse
 * it, the request still waits. A request of an operator who was disabled since does not count.
 * @throws Problem 404; 409 `invalid_transition`; what the kind refuses; 401
 */
export async function approve(session: Session, id: string, note: string | null): Promise<Decided> {
  const asked = isId('approval', id) ? await findApproval(session.database, id) : undefined;
  const proof = asked?.status === 'pending' ? await kindOf(asked).prove(session, asked.terms) : undefined;
  return session.change(
    async (tx): Promise<Decided> => {
      const decidedBy = session.actor;
      const given = { id, status: 'approved', note, decidedBy, at: session.now() } as const;
      const approval = await decideApproval(tx, given);
      await assertStandsBehind(tx, approval.requestedBy);
      if (approval.status === 'pending') return { approval };
      if (approval.firstBy !== null) await assertStandsBehind(tx, approval.firstBy);
      const { terms, reason } = approval;
      const limit = limitText(await readLimits(tx));
      const done = await kindOf(approval).execute(session, tx, terms, { reason, decidedBy }, proof);
      return { approval, done: limited(done, limit), limit };
    },
    ({ approval, done, limit }) => [
      entryOf('approval.approve', approval, { limit }),
      ...(done ? [done.entry] : []),
    ],
  );
}

/** @throws Problem 404; 409 `invalid_transition`; 401 */
export function reject(session: Session, id: string, note: string): Promise<Decided> {
  return session.change(
    async (tx): Promise<Decided> => {
      const given = { id, status: 'rejected', note, decidedBy: session.actor, at: session.now() } as const;
      return { approval: await decideApproval(tx, given) };
    },
    ({ approval }) => entryOf('approval.reject', approval),
  );
}

/** @throws Problem 409 for a kind that only a later release knows */
function kindOf({ kind: name }: Approval): Executed {
  const kinds: Readonly<Record<string, Executed>> = { ...DECISION_KINDS, ...CHANGE_KINDS };
  const found = kinds[name];
  if (!found) throw conflict('invalid_transition', `This release does not know ${name}.`);
  return found;
}

function entryOf(action: string, approval: Approval, more: object = {}): ChangeEntry {
  const { id: subject, kind, subject: about, reason, requestedBy, note, tenantId, status } = approval;
  const after = { kind, about, money: whatOf(approval), reason, requestedBy, note, status, ...more };
  return { action, subject, tenantId, after };
}
