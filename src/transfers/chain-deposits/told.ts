import { type Decision, last } from '../engine/record';
import { type ChainDeposit, type ChainDepositWord, firstWord } from './record';

/** Decisions of people about a chain that no node is asked about: that it is there for good, and that it is not after all. */
export const SEEN = 'seen_by_person';
export const TAKEN_BACK = 'taken_back';

/** What a person has said of it last. */
export const lastSaid = (deposit: Pick<ChainDeposit, 'decisions'>): Decision | undefined =>
  last(deposit, SEEN, TAKEN_BACK);

/** Whether the last that a person has said of it is that it is there. */
export const isTold = (deposit: Pick<ChainDeposit, 'decisions'>): boolean => lastSaid(deposit)?.kind === SEEN;

/** Whether the last that a person has said of it is that it is not there. */
export const isTakenBack = (deposit: Pick<ChainDeposit, 'decisions'>): boolean =>
  lastSaid(deposit)?.kind === TAKEN_BACK;

/** What people have said of a deposit, in the place of nodes: it counts at once, and until one of them says something else. */
export function wordOfPeople(deposit: ChainDeposit): ChainDepositWord {
  const { word, terms } = deposit.transfer;
  return { ...(word ?? firstWord(terms)), state: isTold(deposit) ? 'final' : 'gone' };
}
