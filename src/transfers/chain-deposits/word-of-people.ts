import { type Decision, last } from '../engine/record';
import { type ChainDeposit, type ChainDepositWord, firstWord } from './record';

/** People's decisions on a coin that no transaction shows: it has arrived, and it has not. */
export const SEEN = 'seen_by_person';
export const TAKEN_BACK = 'taken_back';

/** The latest decision of people on the coin. */
export const lastSaid = (deposit: Pick<ChainDeposit, 'decisions'>): Decision | undefined =>
  last(deposit, SEEN, TAKEN_BACK);

/** Whether the latest decision of people takes the coin back. */
export const isTakenBack = (deposit: Pick<ChainDeposit, 'decisions'>): boolean =>
  lastSaid(deposit)?.kind === TAKEN_BACK;

/** Whether people have recorded the coin, and neither they nor the nodes have revoked it. */
export const stands = ({ transfer, decisions }: ChainDeposit): boolean =>
  lastSaid({ decisions })?.kind === SEEN && transfer.word?.state !== 'gone';

/** The word that people's decisions give. It counts at once, because the balances were read before the decision. */
export function wordOfPeople(deposit: ChainDeposit): ChainDepositWord {
  const { word, terms } = deposit.transfer;
  const state = isTakenBack(deposit) ? 'gone' : 'final';
  return { ...(word ?? firstWord(terms)), state, absentFrom: null };
}
