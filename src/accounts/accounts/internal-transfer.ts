import type { Tx } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { accountEntry, type PostedEntry } from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { requireActiveUser, type User } from '../../people/users/operations';
import { move } from './move';
import { assertAccountOpen, requireAccount } from './operations';
import type { Account, Transfer } from './record';
import { insertTransfer } from './store';

export interface TransferRequest {
  fromAccountId: string;
  toAccountId: string;
  amount: Decimal;
  description?: string;
}

export interface Transferred {
  transfer: Transfer;
  /** `transfer/account_out`, then `transfer/account_in`. */
  entries: PostedEntry[];
}

/**
 * Transfers money between two accounts of one tenant and currency: two account transactions with one reference.
 * @throws Problem 404 for an account, 400 for another currency or the same account, 409 `account_closed`,
 * `user_blocked` (a blocked user cannot be funded), `insufficient_funds`
 */
export async function transfer(
  tx: Tx,
  reach: string | null,
  given: TransferRequest,
  idempotencyKey: string | undefined,
): Promise<Transferred> {
  const { amount } = given;
  const from = await requireAccount(tx, reach, given.fromAccountId, 'fromAccountId');
  // The tenant is checked for an admin too, because money never crosses between tenants.
  const to = await requireAccount(tx, from.tenantId, given.toAccountId, 'toAccountId');
  assertPair(from, to, amount);
  await assertAccountOpen(tx, from, 'fromAccountId');
  await assertFundable(tx, to, 'toAccountId');
  const referenceId = newId('reference');
  const entries = await move(
    tx,
    {
      entries: [
        accountEntry(from.id, 'transfer/account_out', amount, referenceId),
        accountEntry(to.id, 'transfer/account_in', amount, referenceId),
      ],
    },
    { idempotencyKey, field: 'amount' },
  );
  const done: Transfer = {
    referenceId,
    tenantId: from.tenantId,
    fromAccountId: from.id,
    toAccountId: to.id,
    amount,
    currency: from.currency,
    description: given.description ?? null,
    createdAt: entries[0]?.at ?? new Date(0),
  };
  await insertTransfer(tx, done);
  return { transfer: done, entries };
}

function assertPair(from: Account, to: Account, amount: Decimal): void {
  if (from.id === to.id) throw invalid('toAccountId must differ from fromAccountId.', 'toAccountId');
  if (from.currency !== to.currency)
    throw invalid(`toAccountId must be an account in ${from.currency}.`, 'toAccountId');
  assertFits(amount, from.currency);
}

/**
 * @returns the account's user; undefined for the tenant's own account
 * @throws Problem 409 `account_closed`, or `user_blocked` for the account of a blocked user
 */
export async function assertFundable(
  tx: Tx,
  account: Pick<Account, 'id'>,
  field?: string,
): Promise<User | undefined> {
  const { userId, tenantId } = await assertAccountOpen(tx, account, field);
  return userId === null ? undefined : requireActiveUser(tx, tenantId, userId, field);
}
