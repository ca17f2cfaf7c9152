import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { accountEntry, internalEntry, type PostedEntry } from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { move } from './move';
import { assertAccountOpen, requireAccount, requireMasterAccount } from './operations';
import type { Account } from './record';
import { insertOfframpReference } from './store';
import { assertFundable } from './transfer';

export interface Correction {
  account: Account;
  entry: PostedEntry;
}

/**
 * Credits or debits an account by hand, against the outside world. Its caller writes the audit log.
 * @param given.limit above it another operator must have approved; absent where one has
 * @throws Problem 404, 400, 409 `account_closed`, `limit_exceeded`, `insufficient_funds`
 */
export async function correct(
  tx: Tx,
  reach: string | null,
  kind: 'deposit/admin_deposit' | 'withdraw/admin_withdrawal',
  given: CorrectionTerms & { limit?: Decimal | undefined },
  idempotencyKey: string | undefined,
): Promise<Correction> {
  const account = await correctable(tx, reach, given);
  if (given.limit && given.amount.gt(given.limit))
    throw conflict(
      'limit_exceeded',
      `Above ${given.limit.toFixed()} it takes two operators, at the command line.`,
      'amount',
    );
  const referenceId = newId('reference');
  const line = accountEntry(account.id, kind, given.amount, referenceId);
  const outside = internalEntry('funding', account.currency, line.available.negated(), referenceId);
  const [entry] = await move(tx, { entries: [line, outside] }, { idempotencyKey, field: 'amount' });
  return { account, entry: entry as PostedEntry };
}

export interface CorrectionTerms {
  accountId: string;
  amount: Decimal;
}

/** The account that is to be corrected, by the rules of now. @throws Problem 404, 400, 409 `account_closed` */
export async function correctable(
  sql: Sql,
  reach: string | null,
  { accountId, amount }: CorrectionTerms,
): Promise<Account> {
  const account = await requireAccount(sql, reach, accountId, 'accountId');
  assertFits(amount, account.currency);
  assertAccountOpen(account, 'accountId');
  return account;
}

export interface Offramped {
  referenceId: string;
  account: Account;
  master: Account;
  /** `deposit/offramp` on the master account, then `transfer/account_out` and `transfer/account_in`. */
  entries: PostedEntry[];
}

/**
 * Credits the tenant's master account of the account's currency and transfers the money on, in one posting. To the
 * master account itself it is the credit alone.
 * @param given.reference the off-ramp's own, unique per tenant
 * @throws Problem 404, 400 (`ErrAlreadyExists` for a reference that was used), 409 `account_closed`, `user_blocked`
 */
export async function offrampDeposit(
  tx: Tx,
  reach: string | null,
  given: { accountId: string; amount: Decimal; reference: string },
  idempotencyKey: string | undefined,
): Promise<Offramped> {
  const account = await requireAccount(tx, reach, given.accountId, 'accountId');
  const { tenantId, currency } = account;
  const master = await requireMasterAccount(tx, tenantId, currency);
  assertFits(given.amount, currency);
  const referenceId = newId('reference');
  const { reference } = given;
  if (!(await insertOfframpReference(tx, { tenantId, reference, referenceId, accountId: account.id })))
    throw alreadyExists('This reference was used already.', 'reference');
  await assertFundable(tx, account, 'accountId');
  const entries = [
    accountEntry(master.id, 'deposit/offramp', given.amount, referenceId),
    internalEntry('funding', currency, given.amount.negated(), referenceId),
  ];
  if (account.id !== master.id) {
    entries.push(
      accountEntry(master.id, 'transfer/account_out', given.amount, referenceId),
      accountEntry(account.id, 'transfer/account_in', given.amount, referenceId),
    );
  }
  const posted = await move(tx, { entries }, { idempotencyKey, field: 'amount' });
  return { referenceId, account, master, entries: posted.filter((entry) => entry.listed) };
}
