import type { Tx } from '../../kernel/db/database';
import { alreadyExists } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { accountEntry, internalEntry, type PostedEntry } from '../../kernel/ledger/entries';
import type { Decimal } from '../../kernel/money/money';
import { assertFits } from '../../kernel/wire/schemas';
import { countAlone, type Weight, weighAlone } from '../../process/limits/operations';
import { assertFundable } from './internal-transfer';
import { move } from './move';
import { assertAccountOpen, requireAccount, requireMasterAccount } from './operations';
import type { Account } from './record';
import { findOfframpReference, insertOfframpReference } from './store';

export interface Correction {
  account: Account;
  entry: PostedEntry;
  /** The limit that applied, for the audit log; absent when the booking was weighed before. */
  limit: string | null | undefined;
}

/** The admin who books by hand over HTTP, alone (decisions part 2). A booking that needs two operators is refused. */
export interface Decider {
  decidedBy: string;
  at: Date;
}

/** Weighs a booking against the limits, together with everything that was booked by one person in this UTC day. */
const weighAgainstDailyLimits = (
  tx: Tx,
  { id: subject, tenantId, currency }: Account,
  amount: Decimal,
  decider: Decider | undefined,
): Promise<Weight> | undefined =>
  decider && weighAlone(tx, { subject, tenantId, currency, amount, ...decider, ever: false });

/**
 * Credits or debits an account by hand, against the funding account. The caller writes the audit log.
 * @param given.decider absent when the booking was weighed before
 * @throws Problem 404, 400, 409 `account_closed`, `limit_exceeded`, `insufficient_funds`
 */
export async function correct(
  tx: Tx,
  reach: string | null,
  kind: 'deposit/admin_deposit' | 'withdraw/admin_withdrawal',
  given: CorrectionTerms & { decider?: Decider },
  idempotencyKey: string | undefined,
): Promise<Correction> {
  const account = await correctable(tx, reach, given);
  const weight = await weighAgainstDailyLimits(tx, account, given.amount, given.decider);
  const limit = weight && countAlone(tx, weight);
  const referenceId = newId('reference');
  const line = accountEntry(account.id, kind, given.amount, referenceId);
  const outside = internalEntry('funding', account.currency, line.available.negated(), referenceId);
  const [entry] = await move(tx, { entries: [line, outside] }, { idempotencyKey, field: 'amount' });
  return { account, entry: entry as PostedEntry, limit };
}

export interface CorrectionTerms {
  accountId: string;
  amount: Decimal;
}

/** The account of a correction, if it can be corrected now. @throws Problem 404, 400, 409 `account_closed` */
export async function correctable(
  tx: Tx,
  reach: string | null,
  { accountId, amount }: CorrectionTerms,
): Promise<Account> {
  const account = await requireAccount(tx, reach, accountId, 'accountId');
  assertFits(amount, account.currency);
  await assertAccountOpen(tx, account, 'accountId');
  return account;
}

export interface Offramped {
  referenceId: string;
  account: Account;
  master: Account;
  /** `deposit/offramp` on the master account, then `transfer/account_out` and `transfer/account_in`. */
  entries: PostedEntry[];
  /** The limit that applied, for the audit log; absent when the deposit was weighed before. */
  limit: string | null | undefined;
}

export interface OfframpTerms extends CorrectionTerms {
  /** The off-ramp's reference, unique per tenant. */
  reference: string;
}

/**
 * The account that an off-ramp would credit, if it could now. Changes nothing.
 * @throws Problem as {@link offrampDeposit}
 */
export async function offrampable(tx: Tx, reach: string | null, given: OfframpTerms): Promise<Account> {
  const account = await correctable(tx, reach, given);
  if (await findOfframpReference(tx, account.tenantId, given.reference)) throw referenceUsed();
  const master = await requireMasterAccount(tx, account.tenantId, account.currency);
  await assertAccountOpen(tx, master, 'accountId');
  await assertFundable(tx, account, 'accountId');
  return account;
}

const referenceUsed = () => alreadyExists('This reference has already been used.', 'reference');

/**
 * Credits the tenant's master account of the account's currency and transfers the money to the account, in one posting.
 * For the master account itself, only the credit is posted.
 * @param given.decider absent when the deposit was weighed before
 * @throws Problem 404, 400 (`ErrAlreadyExists` for a used reference), 409 `account_closed`, `user_blocked`,
 * `limit_exceeded`
 */
export async function offrampDeposit(
  tx: Tx,
  reach: string | null,
  given: OfframpTerms & { decider?: Decider },
  idempotencyKey: string | undefined,
): Promise<Offramped> {
  const account = await requireAccount(tx, reach, given.accountId, 'accountId');
  const { tenantId, currency } = account;
  const master = await requireMasterAccount(tx, tenantId, currency);
  assertFits(given.amount, currency);
  const weight = await weighAgainstDailyLimits(tx, account, given.amount, given.decider);
  const referenceId = newId('reference');
  const { reference } = given;
  // Checked before the limit, so that a repeated request learns that it was booked.
  if (!(await insertOfframpReference(tx, { tenantId, reference, referenceId, accountId: account.id })))
    throw referenceUsed();
  await assertAccountOpen(tx, master, 'accountId');
  await assertFundable(tx, account, 'accountId');
  const limit = weight && countAlone(tx, weight);
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
  return { referenceId, account, master, entries: posted.filter((entry) => entry.listed), limit };
}
