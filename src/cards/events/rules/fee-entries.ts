import type { AccountEffect } from '../../../kernel/ledger/effects';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../../kernel/ledger/entries';
import type { Decimal } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';

type Fee = Extract<AccountEffect, `fee/${string}`>;

/** Entries of a fee that an account pays; none for zero. */
export function feeEntries(
  account: string,
  name: Fee,
  fee: Decimal,
  currency: string,
  referenceId: string,
): Entry[] {
  if (fee.isZero()) return [];
  return [accountEntry(account, name, fee, referenceId), internalEntry('fees', currency, fee, referenceId)];
}

/** Holds the settle fee on the master account (`pending`) or releases it (`transfer`). */
export function settleFeeHold(
  card: Card,
  name: 'pending/settle_fee' | 'transfer/settle_fee',
  fee: Decimal,
  referenceId: string,
): Entry[] {
  return fee.isZero() ? [] : [holdEntry(card.masterAccountId, name, fee, referenceId)];
}
