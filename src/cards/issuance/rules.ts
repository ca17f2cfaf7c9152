import { invalid } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';

/** The records of an issuance. All belong to the same tenant. */
export interface IssuingParts {
  user: { id: string };
  account: { ownerType: 'client' | 'user'; userId: string | null; currency: string };
  cardholder: { userId: string | null; bin: string };
  /** The currency of the BIN and of the card. */
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
