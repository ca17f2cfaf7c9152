import type { Tx } from '../../../kernel/db/database';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { chainOfAccount } from '../../../kernel/ledger/entries';
import type { Change } from './position';

/**
 * Opens missing internal accounts for the currencies of changes. The opening of a client's account has opened those
 * of its currency.
 */
export async function ensureAccounts(tx: Tx, changes: readonly Change[]): Promise<void> {
  const own = new Set(changes.flatMap(({ account, currency }) => (account === null ? [] : [currency])));
  for (const currency of new Set(changes.map(({ currency }) => currency)))
    if (!own.has(currency)) await ensureInternalAccounts(tx, currency);
  for (const { component, currency } of changes) {
    const chain = chainOfAccount(component);
    if (chain !== undefined) await ensureChainAccounts(tx, chain, currency);
  }
}
