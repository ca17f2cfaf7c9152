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

/** Done at once, or asked for: then another operator approves it. */
export type Outcome = { done: Done } | { asked: Approval; weight: Weight };

/**
 * What an operator decides: done at once up to the limit of the installation; what takes the sums of what was decided alone above
 * it is not done, and waits for another operator (decisions part 2). Judged by the rules of now either way.
 * @param terms of the kind's own shape, amounts as text
 * @throws Problem what the kind refuses; 401
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
 * What it comes to, with the sums' locks held. What a party's word may raise until those are got is held after them, and weighed
 * again: what is done is no more than what was weighed.
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
 * A change by an operator: made at once, unless dual control has another operator approve it (decisions part 2, Two people).
 * @param terms of the kind's own shape
 * @throws Problem what the kind refuses; 401
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

/** Written down with the limit that was in force. */
const limited = ({ entry, result }: Done, limit: string | null): Done => ({
  ...{ result, entry: { ...entry, after: { ...(entry.after as object), limit } } },
});

export interface Decided {
  approval: Approval;
  /** Absent where it was rejected, or a second operator must approve it too. */
  done?: Done;
  /** What was in force when it was approved. */
  limit?: string | null;
}

/**
 * Another operator approves what was asked for: it is carried out in this transaction, by the rules of now. Where those
 * refuse it, it still waits. The word of an operator who was disabled since does not count.
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

/** @throws Problem 409 for what only a later release can do */
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
