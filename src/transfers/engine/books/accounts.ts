import type { Tx } from '../../../kernel/db/database';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { chainOfAccount } from '../../../kernel/ledger/entries';
import type { Change } from './position';

/** Opens the internal accounts that changes are booked on, where nobody has: a client's account has opened its own. */
export async function ensureAccounts(tx: Tx, changes: readonly Change[]): Promise<void> {
  const own = new Set(changes.flatMap(({ account, currency }) => (account === null ? [] : [currency])));
  for (const currency of new Set(changes.map(({ currency }) => currency)))
    if (!own.has(currency)) await ensureInternalAccounts(tx, currency);
  for (const { component, currency } of changes) {
    const chain = chainOfAccount(component);
    if (chain !== undefined) await ensureChainAccounts(tx, chain, currency);
  }
}
