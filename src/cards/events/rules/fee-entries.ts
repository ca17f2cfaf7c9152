import type { AccountEffect } from '../../../kernel/ledger/effects';
import { accountEntry, type Entry, holdEntry, internalEntry } from '../../../kernel/ledger/entries';
import type { Decimal } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';

type Fee = Extract<AccountEffect, `fee/${string}`>;

/** A fee that an account pays; nothing where it is zero. */
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

/** The settle fee is held on the master account (`pending`) and released again (`transfer`). */
export function settleFeeHold(
  card: Card,
  name: 'pending/settle_fee' | 'transfer/settle_fee',
  fee: Decimal,
  referenceId: string,
): Entry[] {
  return fee.isZero() ? [] : [holdEntry(card.masterAccountId, name, fee, referenceId)];
}
