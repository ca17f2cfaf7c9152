import { z } from 'zod';
import type { PartyAccount } from '../../kernel/ledger/entries';
import { type Decimal, sumOf, ZERO } from '../../kernel/money/money';
import { keptDecimal as decimal } from '../../kernel/wire/schemas';
import type { OutgoingWord } from '../../parties/protocol/outgoing-word';
import type { WantedBreak } from '../../process/breaks/operations';
import {
  accountHoldings,
  creditedOf,
  type OfAccount,
  outflowPosition,
  type PaidAtClosing,
} from '../engine/books/outflow';
import { reportedReturns } from '../engine/books/parts';
import type { Holding } from '../engine/books/position';
import { resolutionsOf } from '../engine/books/resolutions';
import type { NewDecision } from '../engine/kind';
import { first, type Transfer } from '../engine/record';
import type { Outgoing } from './record';
import { isCalledOff } from './rules';

/** @param party the internal account that represents the party */
export const outgoingPosition = (payout: Outgoing, party: PartyAccount): Holding[] =>
  outflowPosition({ ...outflowOf(payout), party });

function outflowOf(payout: Outgoing): OfAccount {
  const { transfer, decisions } = payout;
  const { terms, word } = transfer;
  const held = isHeld(payout);
  return {
    account: accountOf(transfer),
    currency: terms.currency,
    amount: terms.amount,
    fee: held || isFeeDue(word) ? terms.fee : ZERO,
    target: { currency: terms.receivedCurrency, amount: terms.receivedAmount },
    held,
    sent: word?.sent ?? ZERO,
    backs: reportedReturns(transfer),
    resolutions: resolutionsOf(decisions),
    closed: closedIn(payout),
  };
}

function accountOf({ accountId, id }: Transfer): string {
  if (accountId === null) throw new Error(`the payout ${id} has no account`);
  return accountId;
}

/**
 * Whether amount and fee are held. Before the order: until the payout is called off. Afterwards: while the party may
 * still send it.
 */
function isHeld(payout: Outgoing): boolean {
  const { word } = payout.transfer;
  if (closedIn(payout)?.sent.gt(0)) return false;
  if (word === null) return !isCalledOff(payout);
  return word.sent.isZero() && ['processing', 'sent', 'completed'].includes(word.status);
}

const isFeeDue = (word: OutgoingWord | null): boolean =>
  word !== null && ['sent', 'completed', 'returned'].includes(word.status);

/** The amount that was credited back, in the account's currency. Undefined while it is zero, except in `returned`. */
export function creditedBack(payout: Outgoing): Decimal | undefined {
  const { status, terms, word } = payout.transfer;
  const position = accountHoldings(outflowOf(payout));
  const of = (component: string) => sumOf(position.filter((each) => each.component === component));
  const undone = status === 'returned' && word?.status === 'failed' ? terms.amount.minus(of('paid')) : ZERO;
  const credited = of('returned').plus(undone);
  return status === 'returned' || credited.gt(0) ? credited : undefined;
}

// A closed account --------------------------------------------------------------------------------------------------

const closing = z.object({ sent: decimal, fee: decimal, backs: z.record(z.string(), decimal) });

function closedIn(payout: Outgoing): PaidAtClosing | undefined {
  const decision = first(payout, 'account_closed');
  if (!decision) return undefined;
  const { sent, fee, backs } = closing.parse(decision.data);
  return { sent, fee, backs: new Map(Object.entries(backs)) };
}

/**
 * The decision that the account was closed, made before a word would credit it. Its data are the amounts that the
 * account had paid, and that each return had credited. Later returns stand in suspense.
 * @param before the payout with the previous word
 */
export function closingOf(before: Outgoing, now: Outgoing): NewDecision | undefined {
  if (closedIn(now) || !givesBack(before, now)) return undefined;
  const { terms, word } = before.transfer;
  const backs = [...creditedOf(outflowOf(before))].map(([part, amount]) => [part, amount.toFixed()]);
  return {
    kind: 'account_closed',
    data: {
      sent: (word?.sent ?? ZERO).toFixed(),
      fee: (word?.sent.gt(0) && isFeeDue(word) ? terms.fee : ZERO).toFixed(),
      backs: Object.fromEntries(backs) as Record<string, string>,
    },
  };
}

/** Whether a word credits the account: with an amount that the previous word had debited, or with a higher return. */
function givesBack(before: Outgoing, now: Outgoing): boolean {
  const [from, to] = [before.transfer.word, now.transfer.word];
  if (to === null) return false;
  const known = new Map((from?.returns ?? []).map(({ id, amount }) => [id, amount]));
  return (
    to.sent.lt(from?.sent ?? ZERO) ||
    (isFeeDue(from) && !isFeeDue(to)) ||
    to.returns.some(({ id, amount }) => amount.gt(known.get(id) ?? ZERO))
  );
}

/**
 * A notice that less was sent than ordered. The account pays less and suspense stays empty, so a person must ask why.
 */
export function shortfall({ transfer: { word, terms } }: Outgoing): WantedBreak[] {
  const { receivedAmount: ordered, receivedCurrency: currency } = terms;
  if (!word?.sent.gt(0) || word.sent.gte(ordered)) return [];
  const detail = `${word.sent.toFixed()} of ${ordered.toFixed()} was sent`;
  return [{ kind: 'payout_sent_in_part', detail, amount: ordered.minus(word.sent), currency }];
}
