import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { type Balances, readBalances } from '../../kernel/ledger/accounts';
import { ACCOUNT_SUBTYPES, ACCOUNT_TYPES } from '../../kernel/ledger/effects';
import { amountOf, type PostedEntry } from '../../kernel/ledger/entries';
import { formatAmount, formatAmounts } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { ACCOUNT_STATUSES, type Account, OWNER_TYPES } from './record';

/** Has a name, because generators of clients would call it `AccountBalance`, which is another schema. */
export const accountBalances = z
  .object({ available: money(), pending: money() })
  .meta({ id: 'AccountBalances' });

export const accountSchema = z
  .object({
    id: z.string().meta({ examples: ['acc_01h455vb4pex5vsknk084sn02q'] }),
    ownerType: z.enum(OWNER_TYPES),
    userId: z.string().optional(),
    currency: z.string().meta({ examples: ['USD'] }),
    status: z.enum(ACCOUNT_STATUSES),
    balance: accountBalances,
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Account' });

export type AccountView = z.infer<typeof accountSchema>;

/** Accounts on the wire, with their balances as last committed or as this transaction left them. */
export async function accountViews(sql: Sql, accounts: Account[]): Promise<AccountView[]> {
  const balances = await readBalances(
    sql,
    accounts.map(({ id }) => id),
  );
  return accounts.map((account) => {
    const balance = balances.get(account.id);
    if (!balance) throw new Error(`${account.id} has no ledger account`);
    const { available, pending } = balance;
    return shown(accountSchema, account, {
      balance: formatAmounts({ available, pending }, account.currency),
    });
  });
}

/**
 * The fields of the webhook (`interface.md 2.3`) and `balanceAfter`, the available balance after the entry. `createdAt`
 * and `updatedAt` equal `timestamp`, because an entry never changes.
 */
export const accountTransactionSchema = z
  .object({
    id: z.string().meta({ examples: ['atx_01h455vb4pex5vsknk084sn02q'] }),
    accountId: z.string(),
    type: z.string().meta({ enum: ACCOUNT_TYPES, examples: ['transfer'] }),
    subtype: z.string().meta({ enum: ACCOUNT_SUBTYPES, examples: ['card_deposit'] }),
    amount: money(),
    currency: z.string(),
    referenceId: z.string(),
    linkedId: z.string().optional().meta({
      description: 'For a further movement of a record: the `referenceId` of the movement that it follows.',
    }),
    timestamp: instant(),
    balanceAfter: money(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'AccountTransaction' });

export type AccountTransactionView = z.infer<typeof accountTransactionSchema>;

/** A listed entry: just posted, or read from the history. */
export type ListedEntry = Pick<
  PostedEntry,
  'id' | 'account' | 'type' | 'subtype' | 'reference' | 'at' | 'available' | 'pending'
> & { balance?: Pick<Balances, 'available'> };

/** A listed entry on the wire. The amount is never negative; the type tells the direction (3.4). */
export function accountTransactionView(
  entry: ListedEntry,
  currency: string,
  linkedId?: string,
): AccountTransactionView {
  if (!entry.id || !entry.balance) throw new Error(`an entry of ${entry.account} is not listed`);
  const at = entry.at.toISOString();
  return {
    id: entry.id,
    accountId: entry.account,
    type: entry.type,
    subtype: entry.subtype ?? '',
    amount: formatAmount(amountOf(entry), currency),
    currency,
    referenceId: entry.reference,
    ...(linkedId === undefined ? {} : { linkedId }),
    timestamp: at,
    balanceAfter: formatAmount(entry.balance.available, currency),
    createdAt: at,
    updatedAt: at,
  };
}
