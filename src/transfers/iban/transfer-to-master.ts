import { move } from '../../accounts/accounts/move';
import { requireMasterAccount } from '../../accounts/accounts/operations';
import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { accountEntry, type PostedEntry } from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import type { VirtualIban } from './virtual-ibans/store';

/** Moves money to the company's master account in EUR, at once. @throws Problem 409 `insufficient_funds` */
export async function transferToMaster(
  tx: Tx,
  iban: VirtualIban,
  amount: Decimal,
  idempotencyKey: string | undefined,
): Promise<{ referenceId: string; toAccountId: string; entries: PostedEntry[] }> {
  const { id: toAccountId } = await requireMasterAccount(tx, iban.tenantId, 'EUR');
  const referenceId = newId('reference');
  const entries = [
    accountEntry(iban.id, 'transfer/account_out', amount, referenceId),
    accountEntry(toAccountId, 'transfer/account_in', amount, referenceId),
  ];
  const posted = await move(tx, { entries }, { idempotencyKey, field: 'amount' });
  return { referenceId, toAccountId, entries: posted };
}
