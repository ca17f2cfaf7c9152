import { isAccountClosed, requireAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { PARTY_ACCOUNTS } from '../../kernel/ledger/party-accounts';
import type { CallingParty } from '../../kernel/outbox/queues';
import { type OutgoingWord, outgoingWord } from '../../parties/protocol/outgoing-word';
import { processOfRecord } from '../../process/workflow-command';
import type { ApprovedKind } from '../approval/decide';
import { statusEvent } from '../engine/events';
import type { NewDecision, ProcessSubject } from '../engine/kind';
import type { Transition } from '../engine/record';
import { whyNotFundable } from '../funding';
import { closingOf, outgoingPosition, shortfall } from './position';
import {
  type Outgoing,
  type OutgoingTerms,
  PAYOUT_TRANSITIONS,
  type PayoutStatus,
  type PayoutTrigger,
} from './record';
import * as rules from './rules';

/** Money that a party pays out of an account under one order: a payout of either kind, a withdrawal from the exchange. */
export type OutgoingKind<Terms extends OutgoingTerms> = ApprovedKind<Terms, OutgoingWord>;

/** How one kind speaks to its party, and what its own people and entries call it. */
type Own = 'name' | 'noun' | 'terms' | 'components' | 'give' | 'ask' | 'consider' | 'assertApprovable';

/** What tells one kind from another. */
export interface OutgoingSpec<Terms extends OutgoingTerms> extends Pick<OutgoingKind<Terms>, Own> {
  /** Its workflow, and what the workflow's id begins with. */
  workflow: string;
  prefix: string;
  summary: string;
  fallbacks: rules.Fallbacks;
  /** Lines that it has beside those of every payout. */
  further?: readonly Transition<PayoutStatus, PayoutTrigger>[];
  party: CallingParty;
  /** The event that tells clients of its status: `payout.status_changed`, `transfer.status_changed`. */
  event: 'payout' | 'transfer';
}

/**
 * Until it is ordered: whether account and user may still pay; an operator judges one that waits for approval. After: whether
 * what comes back has an account to come to.
 */
export async function mayItStillPay(
  tx: Tx,
  payout: Outgoing,
  before: Outgoing,
): Promise<NewDecision | undefined> {
  const { status, orderedAt, accountId } = payout.transfer;
  const asked = orderedAt === null && (status === 'created' || status === 'processing');
  const closing = closingOf(before, payout);
  if (!asked && !closing) return undefined;
  if (!asked) return (await isAccountClosed(tx, accountId ?? '')) ? closing : undefined;
  const reason = await whyNotFundable(tx, await requireAccount(tx, null, accountId ?? ''));
  return reason === undefined ? undefined : { kind: 'cancel', reason };
}

export function outgoingKind<Terms extends OutgoingTerms>(spec: OutgoingSpec<Terms>): OutgoingKind<Terms> {
  const { workflow, prefix, summary, fallbacks, further = [], event, ...own } = spec;
  return {
    ...own,
    process: processOfRecord<ProcessSubject>({ workflow, prefix, summary }),
    word: outgoingWord,
    transitions: [...PAYOUT_TRANSITIONS, ...further],
    doors: ['credit', 'write_off', 'recover'],
    // Nothing here depends on the time or on the way: whether a person must decide is in the terms.
    choose: () => undefined,
    measures: rules.measures,
    amounts: ({ sent, returns }, { transfer: { terms } }) =>
      [{ amount: sent }, ...returns].map(({ amount }) => ({ amount, currency: terms.receivedCurrency })),
    parts: rules.parts,
    trigger: rules.trigger,
    failure: (payout, on) => rules.failure(payout, on, fallbacks),
    position: (payout) => outgoingPosition(payout, PARTY_ACCOUNTS[own.party]),
    orders: rules.orders,
    concluded: rules.concluded,
    isOpen: rules.isOpen,
    deadline: () => null,
    notices: shortfall,
    told: (payout, previous) => statusEvent(payout, previous, event),
  };
}
