import { canonical, decisionBy } from './follow';
import type { AnyKind, NewDecision } from './kind';
import type { Decision, Situation } from './record';

/** What a person concludes of a transfer that its party never ends (decisions part 2). */
export const CONCLUSIONS = ['paid', 'failed'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** What is kept with the decision: what the party said that it was made on. */
export const conclusionData = (as: Conclusion, situation: Situation) => ({
  as,
  madeOn: saidIn(situation),
});

/** Without its version: a party that saves its record again says nothing else by that. */
const saidIn = ({ transfer: { word } }: Situation): string =>
  canonical(word && { ...word, version: undefined });

/**
 * The situation with the word that counts: a person's conclusion, while the party says what it was made on; else the party's.
 * A word that returns to that revives the conclusion, whatever was concluded of another word since.
 */
export function effective<S extends Situation>(kind: AnyKind, situation: S): S {
  const conclusion = conclusionsOn(situation).at(-1);
  if (!conclusion) return situation;
  const word = kind.concluded?.(situation, conclusion.data['as'] as Conclusion);
  return word === undefined ? situation : { ...situation, transfer: { ...situation.transfer, word } };
}

/** What was concluded of the word as it is, in the order in which it was. */
function conclusionsOn(situation: Situation): Decision[] {
  const concluded = situation.decisions.filter(({ kind }) => kind === 'conclude');
  if (concluded.length === 0) return concluded;
  const said = saidIn(situation);
  return concluded.filter(({ data }) => data['madeOn'] === said);
}

const asOf = (conclusion: Decision | undefined) => conclusion?.data['as'] as Conclusion | undefined;

/** The situation in which it is concluded so, before anybody has decided it: what `concluded` is asked of. */
export const ifConcluded = <S extends Situation>(heard: S, given: NewDecision, decidedBy: string): S => ({
  ...heard,
  decisions: [...heard.decisions, decisionBy(decidedBy, given, heard.at)],
});

/**
 * What was concluded first after a decision, of the word as it is: that has ended what it ordered, and a later conclusion is
 * of what is open then. Nothing of what was decided after the last.
 */
export const concludedAfter = (situation: Situation, decision: Decision): Conclusion | undefined =>
  asOf(conclusionsOn(situation).find((each) => isBefore(situation, decision, each)));

/** What was concluded last before a decision, of the word as it is: the decision rests on it. */
export const concludedBefore = (situation: Situation, decision: Decision): Conclusion | undefined =>
  asOf(conclusionsOn(situation).findLast((each) => isBefore(situation, each, decision)));

const isBefore = ({ decisions }: Situation, one: Decision, other: Decision): boolean =>
  decisions.indexOf(one) < decisions.indexOf(other);
