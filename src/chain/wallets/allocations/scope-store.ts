import { anyOf } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import type { Network } from '../../networks/record';
import type { Wallet } from '../record';
import { findWalletById, wallets } from '../store';

/** Statements about the wallets that share an index on several networks. */

/** Whether the wallet `w` is free at a time, for an allocation of its scope. */
const isFree = (w: string) =>
  `(${w}.sweep_id is null and (${w}.status = 'available' or ${w}.status = 'quarantined' and ${w}.quarantined_until <= $3)
    and (${w}.bound_to is distinct from 'delegation' or not $4))`;

/**
 * Finds an index of a scope that the tenant had and that is free on every network.
 * @returns its wallet on the chain
 */
export async function findFreeIndex(
  sql: Sql,
  { chain, tenantId, forNative }: { chain: string; tenantId: string; forNative: boolean },
  at: Date,
): Promise<Wallet | undefined> {
  // Raw: an anti-join, which the builder cannot write. Indexes: wallets_free, and wallets_of_index for the others.
  const [found] = await sql.query<{ id: string }>(
    `select w.id from wallets w
      where w.chain = $1 and w.tenant_id = $2 and w.purpose = 'pool' and w.status in ('available', 'quarantined')
        and w.scope is not null and ${isFree('w')}
        and not exists (select from wallets o
                         where o.kind = w.kind and o.derivation_index = w.derivation_index and not ${isFree('o')})
      order by w.quarantined_until, w.derivation_index limit 1`,
    [chain, tenantId, at, forNative],
  );
  return found && findWalletById(sql, found.id);
}

/** Locks the wallets of an index on all networks, in the order of {@link lockWallets}. */
export async function lockIndex(tx: Sql, { derivationIndex, scope }: Wallet): Promise<Wallet[]> {
  const all = wallets().where({ kind: 'evm', derivationIndex }).whereNotNull('scope');
  return scope === null ? [] : wallets.all(tx, all.orderBy('id').forNoKeyUpdate());
}

/**
 * Finds a wallet and locks it, and with it the wallets of its index on other networks. A scope's allocation ends on all
 * of them together.
 */
export async function lockWithScope(
  tx: Sql,
  by: { id: string } | { chain: string; address: string },
): Promise<Wallet | undefined> {
  const found = await wallets.one(tx, wallets().where(by));
  if (!found) return undefined;
  if (found.scope !== null) await lockIndex(tx, found);
  return findWalletById(tx, found.id, { lock: 'update' });
}

/** Finds the wallets of these indices on a chain. */
export const walletsOfIndices = (
  sql: Sql,
  { chain, kind }: Pick<Network, 'chain' | 'kind'>,
  indices: readonly number[],
): Promise<Wallet[]> =>
  wallets.all(sql, wallets().where({ chain, kind }).where(anyOf('derivationIndex', indices)));
