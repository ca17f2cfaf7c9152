import type { Database, Tx } from '../kernel/db/database';
import { invalid, notFound } from '../kernel/errors';
import type { Keyring } from '../kernel/security/keyring';
import { parsedBy, withinField } from '../kernel/wire/schemas';
import type { Decision, Judged } from '../process/desk/decision';
import { isDualControlled, type TakesTwo, type Weight, weighAlone } from '../process/limits/operations';
import type { Catalogue } from './catalogue';
import type { Decider } from './operators/operations';

export interface Deciding {
  catalogue: Catalogue;
  database: Database;
  keyring: Keyring;
  now(): Date;
}

/** The operator who asks, and the request. */
export interface Asker extends Decider {
  requestId: string;
}

/** A decision of any domain with its subject. */
export type AnyJudged = Judged<unknown, unknown, unknown>;

/** A decision whose subject is not read yet. */
export interface Question extends Pick<AnyJudged, 'input' | 'at' | 'actor' | 'proof' | 'secret'> {
  /** Id of the subject, or the name that a person gave. */
  named: string;
}

/** Reads or locks the subject of a decision. @throws Problem 404 */
export async function judgedOf(
  tx: Tx,
  { subject: spec }: Decision,
  how: 'read' | 'lock',
  { named, ...question }: Question,
): Promise<AnyJudged> {
  const subject = await spec[how](tx, named);
  if (subject === undefined) throw notFound(spec.noun);
  return { ...question, subject, id: spec.idOf?.(subject) ?? named };
}

/**
 * Weighs a decision against the limits of decisions made alone, and locks their sums. Undefined where one operator
 * decides at any amount.
 */
export async function weightOf(tx: Tx, decision: Decision, judged: AnyJudged): Promise<Weight | undefined> {
  const weighed = await decision.weigh?.(tx, judged);
  if (!weighed) return undefined;
  const { id: subject, actor: decidedBy, at } = judged;
  const tenantId = decision.subject.tenantOf(judged.subject);
  return weighAlone(tx, { ...weighed, subject, tenantId, decidedBy, at });
}

/** Why a decision takes two operators. Null where one decides. */
export async function takesTwoOf(
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

/** @throws Problem 400 naming `reason` */
export function reasonOf(decision: Decision, reason: string | undefined): string | null {
  if (reason === undefined && decision.reason !== 'optional') throw invalid('reason is required.', 'reason');
  return reason ?? null;
}

/** @throws Problem 400 naming the field within `input` */
export const inputOf = (decision: Decision, given: unknown): unknown =>
  withinField(['input'], () => parsedBy(decision.input, given ?? {}));
