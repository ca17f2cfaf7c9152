import { audit } from '../kernel/audit/audit';
import type { Database, Sql, Tx } from '../kernel/db/database';
import { invalid, notFound } from '../kernel/errors';
import { firstProblem, withinField } from '../kernel/wire/schemas';
import { type Approval, decideApproval, requireApproval } from '../process/approvals/operations';
import { whatOf } from '../process/approvals/view';
import type { By, Decision, Done, Effect, Facts, Judged } from '../process/desk/decision';
import { storeDecision, termsOf } from '../process/desk/stored';
import {
  countAlone,
  isDualControlled,
  limitText,
  readLimits,
  reasonText,
  type TakesTwo,
  type Weight,
  weighAlone,
  whyTwo,
} from '../process/limits/operations';
import { type Catalogue, requireDecision } from './catalogue';
import { assertMay, assertStandsBehind, assertTwoPeople } from './operators/operations';
import { assertUnchanged, factsOf, versionOf } from './version';

export interface Deciding {
  catalogue: Catalogue;
  database: Database;
  now(): Date;
}

/** Who asks, and in which request. */
export interface Asker {
  /** `operator:<name>`. */
  actor: string;
  requestId: string;
}

/** A decision as an operator asks for it. */
export interface Asked {
  name: string;
  /** Id of the subject. */
  subject: string;
  input: unknown;
  reason?: string | undefined;
  /** What the operator has seen: the version that a preview gave. Absent: not compared. */
  version?: string | undefined;
}

/** The decision was carried out, or waits for another operator's approval. */
export type Outcome = { result: object } | { approval: Approval; why: string; shown: object };

/**
 * Asks a party for the evidence of a decision, before its transaction begins.
 * @throws Problem 404; 400 naming the field; Problem of the domain
 */
export async function proveDecision(
  { catalogue }: Deciding,
  {
    name,
    subject: id,
    input,
    secret,
  }: Pick<Asked, 'name' | 'subject' | 'input'> & { secret?: object | undefined },
): Promise<unknown> {
  const decision = requireDecision(catalogue, name);
  return decision.prove?.({ id, input: inputOf(decision, input), secret });
}

/**
 * Carries a decision out, or stores it for another operator. One transaction: permission, sums of limits, lock of the
 * subject, comparison with what the operator has seen, effect, audit. The caller keeps the idempotency key in it.
 * @param asked with the evidence of {@link proveDecision}
 * @throws Problem 404; 403; 400 naming the field; 409 `version_conflict`; Problem of the domain
 */
export async function decide(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  asked: Asked & { proof: unknown },
): Promise<Outcome> {
  const decision = requireDecision(desk.catalogue, asked.name);
  await decision.subject.lockFirst?.(tx);
  await assertMay(tx, asker.actor, decision.permission);
  const by: By = { decidedBy: asker.actor, reason: reasonOf(decision, asked.reason) };
  const input = inputOf(decision, asked.input);
  const { subject: named, proof } = asked;
  const { actor } = asker;
  const at = desk.now();
  // The sums are locked before the subject, as everywhere, so that no two decisions wait for each other.
  if (decision.weigh) {
    const seen = await decision.subject.read(tx, named);
    if (seen === undefined) throw notFound(decision.subject.noun);
    const id = decision.subject.idOf?.(seen) ?? named;
    await weightOf(tx, decision, { id, subject: seen, input, at, actor, proof }, by);
  }
  const subject = await decision.subject.lock(tx, named);
  if (subject === undefined) throw notFound(decision.subject.noun);
  const restsOn = decision.restsOn(subject, input);
  if (asked.version !== undefined) assertUnchanged(factsOf(asked.version), restsOn);
  const id = decision.subject.idOf?.(subject) ?? named;
  const plain = { id, subject, input, at, actor, proof };
  const weight = await weightOf(tx, decision, plain, by);
  const why = await takesTwoOf(tx, decision, plain, weight);
  const made = await decision.secret?.(plain);
  const judged = { ...plain, secret: made?.stored ?? (await decision.sealed?.(plain)) };
  const shown = made?.shown ?? {};
  if (why) return { ...(await ask(tx, asker, { decision, judged, asked, by, restsOn, weight, why })), shown };
  const limit = weight && countAlone(tx, weight);
  const done = await decision.execute(tx, judged, by);
  await writeDone(tx, asker, {
    decision,
    judged,
    done,
    more: { reason: by.reason, ...(weight ? { limit } : {}) },
  });
  return { result: { ...done.result, ...shown } };
}

interface ToAsk {
  decision: Decision;
  judged: AnyJudged;
  asked: Asked;
  by: By;
  restsOn: Facts;
  weight: Weight | undefined;
  why: TakesTwo;
}

/** Stores the decision, and writes who asks for it. */
async function ask(
  tx: Tx,
  asker: Asker,
  { decision, judged, asked, by, restsOn, weight, why }: ToAsk,
): Promise<{ approval: Approval; why: string }> {
  const approval = await storeDecision(tx, decision, judged, {
    input: asked.input ?? {},
    reason: by.reason ?? '',
    requestedBy: asker.actor,
    money: weight && { amount: weight.alone.amount, currency: weight.alone.currency },
    restsOn,
  });
  const limit = weight ? { limit: limitText(weight.limits) } : {};
  await writeApproval(tx, asker, 'approval.ask', approval, { ...limit, ...reasonText(why) });
  return { approval, why: whyTwo(why) };
}

async function takesTwoOf(
  tx: Tx,
  { takesTwo }: Decision,
  judged: AnyJudged,
  weight: Weight | undefined,
): Promise<TakesTwo | null> {
  if (takesTwo === 'always') return { why: 'always' };
  if (takesTwo && (await isDualControlled(tx)) && (await takesTwo.underDualControl(tx, judged)))
    return { why: 'always' };
  return weight?.takesTwo ?? null;
}

async function weightOf(
  tx: Tx,
  decision: Decision,
  judged: AnyJudged,
  { decidedBy }: By,
): Promise<Weight | undefined> {
  const weighed = await decision.weigh?.(tx, judged);
  if (!weighed) return undefined;
  const tenantId = decision.subject.tenantOf(judged.subject);
  return weighAlone(tx, { ...weighed, subject: judged.id, tenantId, decidedBy, at: judged.at });
}

/** @throws Problem 400 naming `reason` */
function reasonOf(decision: Decision, reason: string | undefined): string | null {
  if (reason === undefined && decision.reason !== 'optional') throw invalid('reason is required.', 'reason');
  return reason ?? null;
}

/** @throws Problem 400 naming the field within `input` */
const inputOf = (decision: Decision, given: unknown): unknown =>
  withinField(['input'], () => {
    const parsed = decision.input.safeParse(given ?? {}, { reportInput: true });
    if (!parsed.success) throw firstProblem(parsed.error);
    return parsed.data;
  });

/** What a decision would do now. */
export interface Preview {
  /** For the decision itself, so that it is refused where its subject has changed meanwhile. */
  version: string;
  restsOn: Facts;
  effects: Effect[];
  takesTwo: boolean;
  /** Why it takes two, in words. Empty where the kind always does, or one decides alone. */
  why: string;
}

/** @throws Problem as {@link decide} */
export async function previewDecision(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  { name, subject: named, input: given, proof }: Asked & { proof: unknown },
): Promise<Preview> {
  const decision = requireDecision(desk.catalogue, name);
  await assertMay(tx, asker.actor, decision.permission);
  const input = inputOf(decision, given);
  const subject = await decision.subject.read(tx, named);
  if (subject === undefined) throw notFound(decision.subject.noun);
  const id = decision.subject.idOf?.(subject) ?? named;
  const { actor } = asker;
  const judged = { id, subject, input, at: desk.now(), actor, proof };
  const by = { decidedBy: actor, reason: null };
  const why = await takesTwoOf(tx, decision, judged, await weightOf(tx, decision, judged, by));
  const restsOn = decision.restsOn(subject, input);
  const effects = await decision.preview(tx, judged);
  return { version: versionOf(restsOn), restsOn, effects, takesTwo: why !== null, why: whyTwo(why) };
}

/** A decision of any domain, as it is judged. */
type AnyJudged = Judged<unknown, unknown, unknown>;

export interface Approved {
  approval: Approval;
  /** Absent when it was rejected, or when a second operator must still approve it. */
  result?: object;
}

/** Asks parties for the evidence that an approval needs, before its transaction begins. */
export async function proveApproval(desk: Deciding, sql: Sql, id: string): Promise<unknown> {
  const { kind, status, subject, terms } = await requireApproval(sql, id);
  if (status !== 'pending') return undefined;
  return proveDecision(desk, { name: kind, subject, ...termsOf(terms) });
}

/**
 * Approves another operator's decision and carries it out in the same transaction, by the present rules. If those
 * refuse it, or what it rests on has changed, it still waits. A request of an operator who was disabled since does not
 * count.
 * @throws Problem 404; 403; 409 `version_conflict`, `invalid_transition`; Problem of the domain
 */
export async function approve(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  { id, note, proof }: { id: string; note: string | null; proof: unknown },
): Promise<Approved> {
  const decision = await deciderOf(desk, tx, id);
  await decision.subject.lockFirst?.(tx);
  await assertMay(tx, asker.actor, decision.permission);
  const at = desk.now();
  const approval = await decideApproval(tx, { id, status: 'approved', note, decidedBy: asker.actor, at });
  for (const other of [approval.requestedBy, approval.firstBy])
    if (other !== null) {
      await assertStandsBehind(tx, other);
      await assertTwoPeople(tx, asker.actor, other);
    }
  const more = { limit: limitText(await readLimits(tx)) };
  await writeApproval(tx, asker, 'approval.approve', approval, more);
  if (approval.status === 'pending') return { approval };
  const by: By = { decidedBy: asker.actor, reason: approval.reason };
  const subject = await decision.subject.lock(tx, approval.subject);
  if (subject === undefined) throw notFound(decision.subject.noun);
  const { input: given, secret } = termsOf(approval.terms);
  const input = inputOf(decision, given);
  assertUnchanged((approval.restsOn ?? {}) as Facts, decision.restsOn(subject, input));
  const judged = { id: approval.subject, subject, input, at, actor: asker.actor, proof, secret };
  const done = await decision.execute(tx, judged, by);
  await writeDone(tx, asker, { decision, judged, done, more: { reason: by.reason, ...more } });
  return { approval, result: done.result };
}

/** Rejects a stored decision. The operator who asked for it takes it back so. @throws Problem 404; 403; 409 */
export async function reject(
  desk: Deciding,
  tx: Tx,
  asker: Asker,
  { id, note }: { id: string; note: string },
): Promise<Approved> {
  const { permission } = await deciderOf(desk, tx, id);
  await assertMay(tx, asker.actor, permission);
  const given = { id, status: 'rejected', note, decidedBy: asker.actor, at: desk.now() } as const;
  const approval = await decideApproval(tx, given);
  await writeApproval(tx, asker, 'approval.reject', approval, {});
  return { approval };
}

/** @throws Problem 404 for an approval, or a kind that only another release knows */
async function deciderOf({ catalogue }: Deciding, sql: Sql, id: string): Promise<Decision> {
  const { kind } = await requireApproval(sql, id);
  return requireDecision(catalogue, kind);
}

interface Made {
  decision: Decision;
  judged: AnyJudged;
  done: Done;
  more: object;
}

async function writeDone(tx: Tx, asker: Asker, { decision, judged, done, more }: Made): Promise<void> {
  await write(tx, asker, {
    action: decision.name,
    subject: done.about?.id ?? judged.id,
    tenantId: done.about ? done.about.tenantId : decision.subject.tenantOf(judged.subject),
    before: done.before,
    after: { ...done.after, ...more },
  });
  for (const entry of done.also ?? []) await write(tx, asker, entry);
}

function writeApproval(
  tx: Tx,
  asker: Asker,
  action: string,
  approval: Approval,
  more: object,
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
