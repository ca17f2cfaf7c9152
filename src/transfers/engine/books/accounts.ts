import { inOrder, type Tx } from '../../../kernel/db/database';
import { ensureChainAccounts, ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { chainOfAccount } from '../../../kernel/ledger/entries';
import type { Change } from './position';

/**
 * Opens missing internal accounts for the currencies of changes. The opening of a client's account has opened those
 * of its currency.
 */
export async function ensureAccounts(tx: Tx, changes: readonly Change[]): Promise<void> {
  const own = new Set(changes.flatMap(({ account, currency }) => (account === null ? [] : [currency])));
  const foreign = [...new Set(changes.map(({ currency }) => currency))].filter((each) => !own.has(each));
  await inOrder([
    ...foreign.map((currency) => ensureInternalAccounts(tx, currency)),
    ...changes.map(({ component, currency }) => {
      const chain = chainOfAccount(component);
      return chain === undefined ? Promise.resolve() : ensureChainAccounts(tx, chain, currency);
    }),
  ]);
}
