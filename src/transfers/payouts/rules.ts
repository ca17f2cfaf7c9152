import { Decimal, minOf, sumOf, ZERO } from '../../kernel/money/money';
import { plainCode } from '../../parties/protocol/codes';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import { approvalOf } from '../approval/decide';
import type { Order } from '../engine/kind';
import { first, refusalOf } from '../engine/record';
import { isFinal, type Outgoing, type PayoutStatus, type PayoutTrigger } from './record';

/**
 * What comes of a payout's terms, word and decisions. Pure, and the same for one from an account, one from a virtual IBAN
 * and a withdrawal from the exchange: they differ in who pays, and in what their entries are called.
 */

/** It ended before the party had it, by decisions alone. */
export const isCalledOff = (payout: Outgoing): boolean =>
  first(payout, 'cancel') !== undefined ||
  approvalOf(payout)?.kind === 'reject' ||
  refusalOf(payout, payout.transfer.id) !== undefined;

// Status ------------------------------------------------------------------------------------------------------------

export function trigger(payout: Outgoing): PayoutTrigger | undefined {
  const { status, terms, word } = payout.transfer;
  switch (status as PayoutStatus) {
    case 'created':
      if (first(payout, 'cancel')) return 'cancelled';
      return terms.needsApproval ? 'approval_required' : 'accepted';
    case 'pending_approval': {
      const decision = approvalOf(payout);
      if (decision) return decision.kind === 'approve' ? 'approved' : 'rejected';
      return first(payout, 'cancel') && 'cancelled';
    }
    case 'processing':
      if (word === null && first(payout, 'cancel')) return 'cancelled';
      if (word === null) return refusalOf(payout, payout.transfer.id) && 'failed';
      return triggerOfWord('processing', word);
    default:
      return word === null ? undefined : triggerOfWord(status as PayoutStatus, word);
  }
}

type Reported = OutgoingWord['status'];

/** What happens by the word of a party that has the order, one line at a time; nothing where the payout stands there. */
const BY_WORD: Record<Reported, Partial<Record<PayoutStatus, PayoutTrigger>>> = {
  processing: {
    ...{ sent: 'reopened', completed: 'reopened', failed: 'reopened', returned: 'reopened' },
    ...{ rejected: 'reopened', cancelled: 'reopened' },
  },
  sent: {
    ...{ processing: 'sent', completed: 'sent', failed: 'sent', returned: 'sent' },
    ...{ rejected: 'sent', cancelled: 'sent' },
  },
  completed: {
    ...{ processing: 'sent', sent: 'completed', failed: 'sent', returned: 'completed' },
    ...{ rejected: 'sent', cancelled: 'sent' },
  },
  failed: { processing: 'failed', sent: 'failed', completed: 'failed' },
  returned: {
    ...{ processing: 'sent', sent: 'returned', completed: 'returned', failed: 'sent' },
    ...{ rejected: 'sent', cancelled: 'sent' },
  },
};

const triggerOfWord = (status: PayoutStatus, word: OutgoingWord): PayoutTrigger | undefined =>
  isCoherent(word) ? BY_WORD[word.status][status] : 'incoherent';

/** Whether something has left where the status says so, and nothing is out where it says that nothing is. */
export function isCoherent(word: OutgoingWord): boolean {
  switch (word.status) {
    case 'processing':
      return word.sent.isZero() && backIn(word).isZero();
    case 'failed':
      return word.sent.eq(backIn(word));
    default:
      return word.sent.gt(0);
  }
}

export const backIn = ({ returns }: OutgoingWord): Decimal => sumOf(returns);

/** What a client reads where the party gives no reason, or none that may be shown. */
export interface Fallbacks {
  failed: string;
  returned: string | null;
}

/** The code that goes with a status: a party's words may give it away, or a person. */
export function failure(payout: Outgoing, on: string, fallbacks: Fallbacks): string | null {
  const { word } = payout.transfer;
  switch (on as PayoutTrigger) {
    case 'cancelled':
      return first(payout, 'cancel')?.reason ?? null;
    case 'failed':
      return (
        plainCode(word?.failureCode ?? refusalOf(payout, payout.transfer.id)?.data['code']) ??
        fallbacks.failed
      );
    case 'returned':
      return word?.failureCode === undefined
        ? fallbacks.returned
        : (plainCode(word.failureCode) ?? fallbacks.failed);
    default:
      return null;
  }
}

/** Why a person rejected it, as the client reads it. @param noun what it is called where no reason was given */
export const descriptionOf = (payout: Outgoing, noun = 'payout'): string | undefined =>
  payout.transfer.status === 'rejected'
    ? (approvalOf(payout)?.reason ?? `The operator has rejected the ${noun}.`)
    : undefined;

/** It waits for a person or for the party, which may also say that it does although the status has ended. */
export const isOpen = ({ transfer: { status, word } }: Outgoing): boolean =>
  !isFinal(status) || word?.status === 'processing' || word?.status === 'sent';

// The party ---------------------------------------------------------------------------------------------------------

/** One order, under one key for ever: until the party has said what it has of it, or has refused it. */
export const orders = ({ transfer, decisions }: Outgoing): Order[] =>
  transfer.status === 'processing' && transfer.word === null && !refusalOf({ decisions }, transfer.id)
    ? [{ key: transfer.id, what: 'open' }]
    : [];

export const parts = ({ returns }: OutgoingWord): string[] => returns.map(({ id }) => id);

/** What a later word does not lower by itself: amounts, and how far it had come. */
export const measures = ({ status, sent, returns }: OutgoingWord): Record<string, Decimal> => ({
  sent,
  decided: new Decimal(status === 'processing' ? 0 : 1),
  arrived: new Decimal(status === 'completed' || status === 'returned' ? 1 : 0),
  ...Object.fromEntries(returns.map(({ id, amount }) => [`returned ${id}`, amount])),
});

/** A word for one that the party has and never ends: what is out has arrived, or has not, and what came back stays so. */
export function concluded({ transfer }: Outgoing, as: 'paid' | 'failed'): OutgoingWord | undefined {
  const { word, terms, orderedAt } = transfer;
  const ended = word !== null && word.status !== 'processing' && word.status !== 'sent';
  if (orderedAt === null || ended) return undefined;
  const { sent = ZERO, returns = [] } = word ?? {};
  return as === 'paid'
    ? { status: 'completed', sent: sent.gt(0) ? sent : terms.receivedAmount, returns }
    : { status: 'failed', sent: minOf(sent, word ? backIn(word) : ZERO), returns };
}
