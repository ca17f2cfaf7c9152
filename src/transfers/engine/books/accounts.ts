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
  const onChains = new Map(
    changes.flatMap(({ component, currency }) => {
      const chain = chainOfAccount(component);
      return chain === undefined ? [] : [[`${chain}:${currency}`, { chain, currency }] as const];
    }),
  );
  const byName = [...onChains].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, account]) => account);
  // In one order, because two transactions may open the same ones.
  await inOrder([
    ...foreign.sort().map((currency) => ensureInternalAccounts(tx, currency)),
    ...byName.map(({ chain, currency }) => ensureChainAccounts(tx, chain, currency)),
  ]);
}
