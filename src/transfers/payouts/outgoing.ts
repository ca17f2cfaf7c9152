import { isAccountClosed } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import type { CallingParty } from '../../kernel/parties';
import { PARTY_ACCOUNTS } from '../../kernel/parties';
import { type OutgoingWord, outgoingWord } from '../../parties/protocol/outgoing-word';
import { processOfRecord } from '../../process/workflow-command';
import { type ApprovedKind, hasRested, restsUntil } from '../approval/decide';
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

/**
 * Money that a party pays out of an account by one order: a payout of either kind, or a withdrawal from the exchange.
 */
export type OutgoingKind<Terms extends OutgoingTerms> = ApprovedKind<Terms, OutgoingWord>;

/** The fields that each kind defines itself. */
type Own =
  | 'name'
  | 'idKind'
  | 'noun'
  | 'terms'
  | 'components'
  | 'clear'
  | 'kept'
  | 'passed'
  | 'screening'
  | 'give'
  | 'ask'
  | 'consider'
  | 'decided'
  | 'assertApprovable';

/** The differences between the kinds. */
export interface OutgoingSpec<Terms extends OutgoingTerms> extends Pick<OutgoingKind<Terms>, Own> {
  /** Name of the workflow, and the prefix of its ids. */
  workflow: string;
  prefix: string;
  summary: string;
  fallbacks: rules.Fallbacks;
  /** Transitions beyond those of every payout. */
  further?: readonly Transition<PayoutStatus, PayoutTrigger>[];
  party: CallingParty;
  /** The event for a change of status: `payout.status_changed`, `transfer.status_changed`. */
  event: 'payout' | 'transfer';
}

/** Reason of a rejection, for the client. */
const MAY_NOT_PAY = 'The account or its user may not pay any more.';

/**
 * Before the order: cancels the payout when account or user may not pay any more, or rejects it at the end of the rest of
 * its destination. The operator's approval checks the same for `pending_approval`. After the order: notes that the account was closed, before a return would credit it.
 */
export async function considerAccount(
  tx: Tx,
  payout: Outgoing,
  before: Outgoing,
): Promise<NewDecision | undefined> {
  const { status, orderedAt, accountId } = payout.transfer;
  const isRested = hasRested(payout);
  const asked = isRested || (orderedAt === null && (status === 'created' || status === 'processing'));
  const closing = closingOf(before, payout);
  if (!asked && !closing) return undefined;
  if (!asked) return (await isAccountClosed(tx, accountId ?? '')) ? closing : undefined;
  const reason = await whyNotFundable(tx, accountId ?? '');
  if (reason === undefined) return undefined;
  return isRested ? { kind: 'reject', reason: MAY_NOT_PAY } : { kind: 'cancel', reason };
}

export function outgoingKind<Terms extends OutgoingTerms>(spec: OutgoingSpec<Terms>): OutgoingKind<Terms> {
  const { workflow, prefix, summary, fallbacks, further = [], event, ...own } = spec;
  return {
    ...own,
    process: processOfRecord<ProcessSubject>({ workflow, prefix, summary }),
    word: outgoingWord,
    transitions: [...PAYOUT_TRANSITIONS, ...further],
    resolutions: ['credit', 'write_off', 'recover'],
    choose: rules.choose,
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
    deadline: restsUntil,
    notices: shortfall,
    eventsOf: (payout, previous) => statusEvent(payout, previous, event),
  };
}
