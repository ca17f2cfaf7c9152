import type { AccountEffect } from '../../../../kernel/ledger/effects';
import { accountEntry, type Entry, internalEntry } from '../../../../kernel/ledger/entries';
import type { Decimal } from '../../../../kernel/money/money';
import { type Card, SUSPENSE } from '../../../cards/record';

/**
 * The entry that returns money of a card: to its account, or to the tenant's master account, or to suspense when no
 * account is open (decisions part 4, Users and accounts).
 */
export function toOwner(card: Card, entry: AccountEffect, amount: Decimal, referenceId: string): Entry {
  return card.returnsTo === SUSPENSE
    ? internalEntry('suspense', card.currency, amount, referenceId)
    : accountEntry(card.returnsTo ?? card.accountId, entry, amount, referenceId);
}
