import type { Tx } from '../../kernel/db/database';
import { type Approval, requestApproval } from '../../process/approvals/operations';
import { whatOf } from '../../process/approvals/view';
import { countAlone, limitText, reasonText, type Weight, weighAlone } from '../../process/limits/operations';
import type { ChangeEntry, Session } from '../session';
import type { AnyDecisionKind, Done, Weighed } from './kind';
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

/** Adds the limit in force to the audit entry. */
const limited = ({ entry, result }: Done, limit: string | null): Done => ({
  result,
  entry: { ...entry, after: { ...(entry.after as object), limit } },
});

function entryOf(action: string, approval: Approval, more: object = {}): ChangeEntry {
  const { id: subject, kind, subject: about, reason, requestedBy, note, tenantId, status } = approval;
  const after = { kind, about, money: whatOf(approval), reason, requestedBy, note, status, ...more };
  return { action, subject, tenantId, after };
}
