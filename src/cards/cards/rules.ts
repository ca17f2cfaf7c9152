import { conflict, invalid } from '../../kernel/errors';
import { Decimal, ZERO } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import type { Card } from '../events/card';

/** What an issuance brings together; each belongs to the same tenant. */
export interface IssuingParts {
  user: { id: string };
  account: { ownerType: 'client' | 'user'; userId: string | null; currency: string };
  cardholder: { userId: string | null; bin: string };
  /** The BIN's currency: the card's. */
  currency: string;
  amount: Decimal | undefined;
}

/** @throws Problem 400 naming the field that does not fit the others */
export function assertFitTogether({ user, account, cardholder, currency, amount }: IssuingParts): void {
  if (account.ownerType === 'user' && account.userId !== user.id) {
    throw invalid("accountId must be the user's account, or a master account of yours.", 'accountId');
  }
  if (cardholder.userId !== user.id)
    throw invalid('cardholderId must be a cardholder of the user.', 'cardholderId');
  if (account.currency !== currency) {
    throw invalid(
      `accountId must be an account in ${currency}, the currency of BIN ${cardholder.bin}.`,
      'accountId',
    );
  }
  if (amount) assertFits(amount, currency);
}

/** @throws Problem 409 `card_not_active` before it is issued or when it never was, `card_closed` after its end */
export function assertLive(card: Card): void {
  if (card.status === 'closed' || card.status === 'closing')
    throw conflict('card_closed', 'The card is closed.');
  if (card.status === 'pending' || card.status === 'failed') {
    throw conflict('card_not_active', 'The card has not been issued.');
  }
}

/** @throws Problem 409 as `assertLive`, and `card_not_active` while it is frozen */
export function assertActive(card: Card): void {
  assertLive(card);
  if (card.status !== 'active') throw conflict('card_not_active', 'The card is frozen.');
}

/** Digits of a decline rate. */
const RATE_DECIMALS = 4;

/** Declines as a share of all that was asked for, from "0.0000" to "1.0000"; zero when nothing was. */
export function declineRate(authorizations: number, declines: number): string {
  const asked = authorizations + declines;
  const rate = asked === 0 ? ZERO : new Decimal(declines).dividedBy(asked);
  return rate.toFixed(RATE_DECIMALS);
}
