import { type OutgoingWord, outgoingWord } from '../protocol/outgoing-word';

/** The whole present state of a payout, in the order's currency. */
export const payoutWord = outgoingWord;

export type PayoutWord = OutgoingWord;
