import { conflict } from '../../kernel/errors';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import type { Screenable } from '../engine/kind';
import { first, type Situation } from '../engine/record';
import { newRefusal } from '../screening/destination';
import { changesOf } from '../screening/operations';
import { SCREENING_CLEARED, screeningKey } from '../screening/record';
import { isFinal, type PayoutTerms } from './record';

/** Whether the payout has neither ended nor been ordered, so that its screening still counts. */
export const waitsForOrder = ({ transfer }: Situation): boolean =>
  transfer.orderedAt === null && !isFinal(transfer.status);

/** Whether two operators have cleared the destination. The screening party is then not asked. */
export const isCleared = (payout: Pick<Situation, 'decisions'>): boolean =>
  first(payout, SCREENING_CLEARED) !== undefined;

/**
 * How people decide on the screening of a payout before its order: the payout is ordered, or fails as one that the party
 * refuses. A payout that has failed stays so, because its money has returned and its client may have paid otherwise.
 */
export const payoutScreening: Screenable<PayoutTerms, OutgoingWord> = {
  keyOf: ({ transfer: { id } }) => screeningKey(id),
  moneyOf: ({ transfer: { terms } }) => ({
    amount: terms.receivedAmount,
    currency: terms.receivedCurrency,
  }),
  leadsTo: 'ordered of the party',
  changes: changesOf,
  decisions: async (_tx, payout, { verdict, reason, result }) => {
    const { id, status, orderedAt, word } = payout.transfer;
    if (status !== 'processing' || orderedAt !== null || word !== null)
      throw conflict('invalid_transition', messageOf(status, orderedAt !== null));
    if (isCleared(payout)) throw conflict('invalid_transition', 'Operators have cleared the payout already.');
    if (result === 'cleared')
      throw conflict(
        'invalid_transition',
        'The party has cleared the payout, so that it waits for no screening.',
      );
    return verdict === 'refused'
      ? [{ ...newRefusal(id), reason }]
      : [{ kind: SCREENING_CLEARED, data: { key: id }, reason }];
  },
};

const messageOf = (status: string, isOrdered: boolean): string =>
  isOrdered
    ? 'The party has the order of the payout already.'
    : `A payout that is ${status} waits for no screening: its client makes another one.`;
