import { canonical, decisionBy } from './follow';
import type { AnyKind, NewDecision } from './kind';
import type { Decision, Situation } from './record';

/** Outcomes that a person may conclude for a transfer that its party never ends (decisions part 2). */
export const CONCLUSIONS = ['paid', 'failed'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** Data of the decision `conclude`: the outcome, and the word that it is based on. */
export const conclusionData = (as: Conclusion, situation: Situation) => ({
  as,
  madeOn: saidIn(situation),
});

/** The party's word as text, without its version, because a party may save an unchanged record under a new version. */
const saidIn = ({ transfer: { word } }: Situation): string =>
  canonical(word && { ...word, version: undefined });

/**
 * The situation with the word that counts: a person's conclusion while the party's word is the one that it was based
 * on, else the party's word. A party that returns to that word revives the conclusion.
 */
export function effective<S extends Situation>(kind: AnyKind, situation: S): S {
  const conclusion = conclusionsOn(situation).at(-1);
  if (!conclusion) return situation;
  const word = kind.concluded?.(situation, conclusion.data['as'] as Conclusion);
  return word === undefined ? situation : { ...situation, transfer: { ...situation.transfer, word } };
}

/** Conclusions that are based on the present word, in their order. */
function conclusionsOn(situation: Situation): Decision[] {
  const concluded = situation.decisions.filter(({ kind }) => kind === 'conclude');
  if (concluded.length === 0) return concluded;
  const said = saidIn(situation);
  return concluded.filter(({ data }) => data['madeOn'] === said);
}

const asOf = (conclusion: Decision | undefined) => conclusion?.data['as'] as Conclusion | undefined;

/** The situation as if the conclusion had been decided, to try `concluded` on. */
export const ifConcluded = <S extends Situation>(reported: S, given: NewDecision, decidedBy: string): S => ({
  ...reported,
  decisions: [...reported.decisions, decisionBy(decidedBy, given, reported.at)],
});

/**
 * The first conclusion after a decision, on the present word. It ended what the decision ordered; later conclusions
 * concern other open parts. Undefined when none follows the decision.
 */
export const concludedAfter = (situation: Situation, decision: Decision): Conclusion | undefined =>
  asOf(conclusionsOn(situation).find((each) => isBefore(situation, decision, each)));

/** The last conclusion before a decision, on the present word. The decision rests on it. */
export const concludedBefore = (situation: Situation, decision: Decision): Conclusion | undefined =>
  asOf(conclusionsOn(situation).findLast((each) => isBefore(situation, each, decision)));

const isBefore = ({ decisions }: Situation, one: Decision, other: Decision): boolean =>
  decisions.indexOf(one) < decisions.indexOf(other);
