import {
  type Account,
  findMasterAccount,
  isAccountClosed,
  lockAccount,
  markClosed,
} from '../accounts/accounts/operations';
import { findOpenCardOn, redirectReturns } from '../cards/cards/operations';
import { SUSPENSE } from '../cards/cards/record';
import { findHeldFor } from '../chain/wallets/operations';
import type { Tx } from '../kernel/db/database';
import { conflict, notFound } from '../kernel/errors';
import { lockLedgerAccounts } from '../kernel/ledger/accounts';
import { formatAmount } from '../kernel/money/money';
import { openTransferOn } from './engine/open-transfers';

/**
 * Closes an account for good, by an operator's decision. Later money of its closed cards goes to the tenant's master
 * account of that currency, or to suspense. All other money for the account goes to suspense.
 * @throws Problem 404; 409 `account_closed`, and `invalid_transition` naming its money, or the record that is open on
 * it
 */
export async function closeAccount(tx: Tx, id: string, at: Date): Promise<Account> {
  // Operations that move the account's money hold a share lock of its row, so closing waits for them.
  const account = await lockAccount(tx, null, id);
  if (!account) throw notFound('account');
  await assertNothingOpen(tx, account);
  await redirectReturns(tx, id, (await masterBeside(tx, account)) ?? SUSPENSE);
  await assertEmpty(tx, account);
  await markClosed(tx, id, at);
  return { ...account, status: 'closed', updatedAt: at };
}

/** Refuses as {@link closeAccount} would, for a preview. @throws Problem 409 */
export async function assertClosable(tx: Tx, account: Account): Promise<void> {
  await assertNothingOpen(tx, account);
  await assertEmpty(tx, account);
}

/** @throws Problem 409 */
async function assertNothingOpen(tx: Tx, account: Account): Promise<void> {
  if (account.status === 'closed') throw conflict('account_closed', 'The account is closed.');
  const open = await openOn(tx, account);
  if (open !== undefined) throw conflict('invalid_transition', `The account is not closed: ${open}.`);
}

/** Describes an open record of the account. Undefined where there is none. */
async function openOn(tx: Tx, { id, tenantId }: Account): Promise<string | undefined> {
  const card = await findOpenCardOn(tx, id);
  if (card) return `the card ${card.id} is ${card.status}`;
  const transfer = await openTransferOn(tx, { accountId: id, tenantId });
  if (transfer) return `${transfer.kind} ${transfer.id} is ${transfer.status}`;
  const held = await findHeldFor(tx, id);
  return held && `the wallet ${held.address} is allocated for it`;
}

/** Finds another open master account of the tenant. It stays open until the transaction ends. */
async function masterBeside(tx: Tx, { id, tenantId, currency }: Account): Promise<string | undefined> {
  const master = await findMasterAccount(tx, tenantId, currency);
  return master && master.id !== id && !(await isAccountClosed(tx, master.id)) ? master.id : undefined;
}

/** Requires zero balances. The lock keeps entries out until the transaction ends. */
async function assertEmpty(tx: Tx, { id, currency }: Account): Promise<void> {
  const [balance] = (await lockLedgerAccounts(tx, [id])).accounts;
  if (!balance) throw new Error(`${id} has no ledger account`);
  const { available, pending } = balance;
  if (available.isZero() && pending.isZero()) return;
  const [has, waits] = [available, pending].map((amount) => formatAmount(amount, currency));
  throw conflict(
    'invalid_transition',
    `The account is not closed: it has ${has} ${currency} available and ${waits} pending.`,
  );
}
