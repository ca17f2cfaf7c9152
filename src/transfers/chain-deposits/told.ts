import { type Decision, last } from '../engine/record';
import { type ChainDeposit, type ChainDepositWord, firstWord } from './record';

/** Decisions of people about a coin that no transaction shows: that it has come, and that it has not after all. */
export const SEEN = 'seen_by_person';
export const TAKEN_BACK = 'taken_back';

/** What a person has said of it last. */
export const lastSaid = (deposit: Pick<ChainDeposit, 'decisions'>): Decision | undefined =>
  last(deposit, SEEN, TAKEN_BACK);

/** Whether the last that a person has said of it is that it is not there. */
export const isTakenBack = (deposit: Pick<ChainDeposit, 'decisions'>): boolean =>
  lastSaid(deposit)?.kind === TAKEN_BACK;

/** Whether people have recorded it, and neither they nor the nodes say that it is gone. */
export const stands = ({ transfer, decisions }: ChainDeposit): boolean =>
  lastSaid({ decisions })?.kind === SEEN && transfer.word?.state !== 'gone';

/** What people have said of a deposit, which counts at once: the balances were read before they have said it. */
export function wordOfPeople(deposit: ChainDeposit): ChainDepositWord {
  const { word, terms } = deposit.transfer;
  const state = isTakenBack(deposit) ? 'gone' : 'final';
  return { ...(word ?? firstWord(terms)), state, absentFrom: null };
}
