import { Decimal, minOf, sumOf, ZERO } from '../../kernel/money/money';
import { plainCode } from '../../parties/protocol/codes';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import { approvalOf, hasRested, RESTED, restsUntil } from '../approval/decide';
import type { NewDecision, Order } from '../engine/kind';
import { first, refusalOf } from '../engine/record';
import { isFinal, type Outgoing, type PayoutStatus, type PayoutTrigger } from './record';

/**
 * Pure rules of money that goes out: terms, word and decisions in; status, orders and conclusions out.
 *
 * Payouts from accounts, payouts from virtual IBANs and withdrawals from the exchange share them. They differ in the
 * party, and in the names of their entries.
 */

/** Whether decisions ended the payout before the party had it. */
export const isCalledOff = (payout: Outgoing): boolean =>
  first(payout, 'cancel') !== undefined ||
  approvalOf(payout)?.kind === 'reject' ||
  refusalOf(payout, payout.transfer.id) !== undefined;

/** The system's choice: a new destination has rested. Everything else is in the terms. */
export const choose = (payout: Outgoing): NewDecision | undefined =>
  hasRested(payout) ? { kind: RESTED } : undefined;

// Status ------------------------------------------------------------------------------------------------------------

export function trigger(payout: Outgoing): PayoutTrigger | undefined {
  const { status, terms, word } = payout.transfer;
  switch (status as PayoutStatus) {
    case 'created':
      if (first(payout, 'cancel')) return 'cancelled';
      return terms.needsApproval || terms.rest ? 'approval_required' : 'accepted';
    case 'pending_approval': {
      const decision = approvalOf(payout);
      if (decision) return decision.kind === 'reject' ? 'rejected' : 'approved';
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

/** The next trigger by the status of the party's word. No trigger where the payout already stands there. */
const BY_WORD: Record<Reported, Partial<Record<PayoutStatus, PayoutTrigger>>> = {
  processing: {
    sent: 'reopened',
    completed: 'reopened',
    failed: 'reopened',
    returned: 'reopened',
    rejected: 'reopened',
    cancelled: 'reopened',
  },
  sent: {
    processing: 'sent',
    completed: 'sent',
    failed: 'sent',
    returned: 'sent',
    rejected: 'sent',
    cancelled: 'sent',
  },
  completed: {
    processing: 'sent',
    sent: 'completed',
    failed: 'sent',
    returned: 'completed',
    rejected: 'sent',
    cancelled: 'sent',
  },
  failed: { processing: 'failed', sent: 'failed', completed: 'failed' },
  returned: {
    processing: 'sent',
    sent: 'returned',
    completed: 'returned',
    failed: 'sent',
    rejected: 'sent',
    cancelled: 'sent',
  },
};

const triggerOfWord = (status: PayoutStatus, word: OutgoingWord): PayoutTrigger | undefined =>
  isCoherent(word) ? BY_WORD[word.status][status] : 'incoherent';

/** Whether the amounts of a word agree with its status. */
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

/** Failure codes where the party gives none, or none that clients may see. */
export interface Fallbacks {
  failed: string;
  returned: string | null;
}

/** Our failure code for a status. Codes of the party that could reveal it, or a person, are replaced. */
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

/** The operator's reason for a rejection, or the rest of a new destination, for the client. @param noun noun of the text where there is no reason */
export function descriptionOf(payout: Outgoing, noun = 'payout'): string | undefined {
  if (payout.transfer.status === 'rejected')
    return approvalOf(payout)?.reason ?? `The operator has rejected the ${noun}.`;
  const until = restsUntil(payout);
  if (until === null) return undefined;
  return `The destination is new: the ${noun} goes on at ${until.toISOString()}, or when the operator approves it.`;
}

/** Whether a person or the party is waited for. After its end the party may still report an open payout. */
export const isOpen = ({ transfer: { status, word } }: Outgoing): boolean =>
  !isFinal(status) || word?.status === 'processing' || word?.status === 'sent';

// The party ---------------------------------------------------------------------------------------------------------

/** One order, under one key, until the party has reported or refused it. */
export const orders = ({ transfer, decisions }: Outgoing): Order[] =>
  transfer.status === 'processing' && transfer.word === null && !refusalOf({ decisions }, transfer.id)
    ? [{ key: transfer.id, what: 'open' }]
    : [];

export const parts = ({ returns }: OutgoingWord): string[] => returns.map(({ id }) => id);

/** Amounts that never fall: sent and returned amounts, and the progress of the status. */
export const measures = ({ status, sent, returns }: OutgoingWord): Record<string, Decimal> => ({
  sent,
  decided: new Decimal(status === 'processing' ? 0 : 1),
  arrived: new Decimal(status === 'completed' || status === 'returned' ? 1 : 0),
  ...Object.fromEntries(returns.map(({ id, amount }) => [`returned ${id}`, amount])),
});

/**
 * The word as a person concludes a payout that the party never ends: the sent amount has arrived or not. Returns
 * stay.
 */
export function concluded({ transfer }: Outgoing, as: 'paid' | 'failed'): OutgoingWord | undefined {
  const { word, terms, orderedAt } = transfer;
  const ended = word !== null && word.status !== 'processing' && word.status !== 'sent';
  if (orderedAt === null || ended) return undefined;
  const { sent = ZERO, returns = [] } = word ?? {};
  return as === 'paid'
    ? { status: 'completed', sent: sent.gt(0) ? sent : terms.receivedAmount, returns }
    : { status: 'failed', sent: minOf(sent, word ? backIn(word) : ZERO), returns };
}
