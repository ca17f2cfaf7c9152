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
  // In one order, because two transactions may open the same ones.
  for (const currency of [...new Set(changes.map((change) => change.currency))].sort())
    if (!own.has(currency)) await ensureInternalAccounts(tx, currency);
  const onChains = new Map(
    changes.flatMap(({ component, currency }) => {
      const chain = chainOfAccount(component);
      return chain === undefined ? [] : [[`${chain}:${currency}`, { chain, currency }] as const];
    }),
  );
  for (const [, { chain, currency }] of [...onChains].sort(([one], [other]) => (one < other ? -1 : 1)))
    await ensureChainAccounts(tx, chain, currency);
}
