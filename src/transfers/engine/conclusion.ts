import { canonical } from './follow';
import type { PartyWord, TransferKind } from './kind';
import type { Decision, Situation } from './record';

/** What a person concludes of a transfer that its party never ends (decisions part 2). */
export const CONCLUSIONS = ['paid', 'failed'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** What is kept with the decision: the word that it was made on, the party's own. */
export const conclusionData = (as: Conclusion, { transfer }: Situation) => ({
  as,
  madeOn: canonical(transfer.word),
});

/**
 * The situation with the word that counts: a person's conclusion, until the party says something else than what it was made
 * on; else the party's.
 */
export function effective<Terms, Word extends PartyWord>(
  kind: Pick<TransferKind<Terms, Word>, 'concluded'>,
  situation: Situation<Terms, Word>,
): Situation<Terms, Word> {
  const conclusion = situation.decisions.findLast(({ kind: name }) => name === 'conclude');
  if (!conclusion || !stillHolds(conclusion, situation)) return situation;
  const word = kind.concluded?.(situation, conclusion.data['as'] as Conclusion);
  return word === undefined ? situation : { ...situation, transfer: { ...situation.transfer, word } };
}

const stillHolds = ({ data }: Decision, { transfer }: Situation): boolean =>
  data['madeOn'] === canonical(transfer.word);
