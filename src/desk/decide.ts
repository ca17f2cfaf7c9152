import type { Tx } from '../kernel/db/database';
import type { Keyring } from '../kernel/security/keyring';
import type { Approval } from '../process/approvals/operations';
import type { Decision, Effect, Facts } from '../process/desk/decision';
import { storeDecision } from '../process/desk/stored';
import {
  countAlone,
  limitText,
  reasonText,
  type TakesTwo,
  type Weight,
  whyTwo,
} from '../process/limits/operations';
import { requireDecision } from './catalogue';
import {
  type AnyJudged,
  type Asker,
  type Deciding,
  inputOf,
  judgedOf,
  type Question,
  reasonOf,
  takesTwoOf,
  weightOf,
} from './judge';
import { assertMay } from './operators/operations';
import { assertUnchanged, factsOf, versionOf } from './version';
import { writeApproval, writeDone } from './write-decision';

export type { Asker, Deciding } from './judge';

/** A decision as an operator asks for it. */
export interface Asked {
  name: string;
  /** Id of the subject. */
  subject: string;
  input: unknown;
  reason?: string | undefined;
  /** The version of the preview that the operator has seen. Absent: not compared. */
  version?: string | undefined;
}

/** The evidence that {@link proveDecision} has got. */
interface Proven {
  proof: unknown;
}

/** The decision was carried out, or waits for another operator's approval. */
export type Outcome = { result: object } | { approval: Approval; why: string; shown: object };

/**
 * Asks a party for the evidence of a decision, before its transaction begins.
 * @throws Problem 404; 400 naming the field; Problem of the domain
 */
export async function proveDecision(
  { catalogue }: Deciding,
  { name, subject: id, input }: Pick<Asked, 'name' | 'subject' | 'input'>,
): Promise<unknown> {
  const decision = requireDecision(catalogue, name);
  return decision.prove?.({ id, input: inputOf(decision, input) });
}

/**
 * Carries a decision out, or stores it for another operator, in one transaction. The caller keeps the idempotency key in
 * it.
 * @throws Problem 404; 403; 400 naming the field; 409 `version_conflict`; Problem of the domain
 */
export async function decide(desk: Deciding, tx: Tx, asker: Asker, asked: Asked & Proven): Promise<Outcome> {
  const decision = requireDecision(desk.catalogue, asked.name);
  await decision.subject.lockFirst?.(tx);
  await assertMay(tx, asker, decision.permission);
  const reason = reasonOf(decision, asked.reason);
  const question = questionOf(desk, decision, asker, asked);

  // The sums of the limits are locked before the subject in every transaction, so that no two wait for each other.
  if (decision.weigh) await weightOf(tx, decision, await judgedOf(tx, decision, 'read', question));
  const seen = await judgedOf(tx, decision, 'lock', question);
  const restsOn = decision.restsOn(seen.subject, seen.input);
  if (asked.version !== undefined) assertUnchanged(factsOf(asked.version), restsOn);

  const weight = await weightOf(tx, decision, seen);
  const why = await takesTwoOf(tx, decision, seen, weight);
  const made = await decision.secret?.(seen);
  const judged = { ...seen, secret: made?.stored ?? (await decision.sealed?.(seen)) };
  const shown = made?.shown ?? {};
  if (why) {
    const toAsk = { keyring: desk.keyring, decision, judged, asked, reason, restsOn, weight, why };
    const approval = await askAnother(tx, asker, toAsk);
    return { approval, why: whyTwo(why), shown };
  }
  const limit = weight && countAlone(tx, weight);
  const done = await decision.execute(tx, judged, { decidedBy: asker.actor, reason });
  await writeDone(tx, asker, { decision, judged, done, more: weight ? { reason, limit } : { reason } });
  return { result: { ...done.result, ...shown } };
}

const questionOf = (
  desk: Deciding,
  decision: Decision,
  { actor }: Asker,
  { subject: named, input, proof }: Asked & Proven,
): Question => ({ named, input: inputOf(decision, input), at: desk.now(), actor, proof });

interface ToAsk {
  keyring: Keyring;
  decision: Decision;
  judged: AnyJudged;
  asked: Asked;
  reason: string | null;
  restsOn: Facts;
  weight: Weight | undefined;
  why: TakesTwo;
}

/** Stores the decision for another operator. */
async function askAnother(
  tx: Tx,
  asker: Asker,
  { keyring, decision, judged, asked, reason, restsOn, weight, why }: ToAsk,
): Promise<Approval> {
  const approval = await storeDecision(tx, keyring, decision, judged, {
    input: asked.input ?? {},
    reason: reason ?? '',
    requestedBy: asker.actor,
    money: weight && { amount: weight.alone.amount, currency: weight.alone.currency },
    restsOn,
  });
  const limit = weight ? { limit: limitText(weight.limits) } : {};
  await writeApproval(tx, asker, 'approval.ask', { approval, more: { ...limit, ...reasonText(why) } });
  return approval;
}

/** The effects of a decision if it were carried out now. */
export interface Preview {
  /** For the decision itself, so that it is refused where its subject has changed meanwhile. */
  version: string;
  restsOn: Facts;
  effects: Effect[];
  takesTwo: boolean;
  /** Why it takes two, in words. Empty where the kind always does, or one decides alone. */
  why: string;
}

/** Tells what a decision would do. Changes nothing. @throws Problem as {@link decide} */
export async function previewDecision(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  asked: Asked & Proven,
): Promise<Preview> {
  const decision = requireDecision(desk.catalogue, asked.name);
  await assertMay(tx, asker, decision.permission);
  const judged = await judgedOf(tx, decision, 'read', questionOf(desk, decision, asker, asked));
  const why = await takesTwoOf(tx, decision, judged, await weightOf(tx, decision, judged));
  const restsOn = decision.restsOn(judged.subject, judged.input);
  const effects = await decision.preview(tx, judged);
  return { version: versionOf(restsOn), restsOn, effects, takesTwo: why !== null, why: whyTwo(why) };
}
