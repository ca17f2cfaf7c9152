import type { Network } from '../../chain/networks/record';
import { poolAddressesAfter } from '../../chain/wallets/operations';
import type { Sql } from '../../kernel/db/database';
import type { AddressSet } from '../../parties/chain/port';
import type { Remembered } from './reading';

/**
 * Returns the addresses to which money of ours may come on any network of a kind: those of the pools of all its networks. Reads
 * only those that were added since the step before.
 */
export async function readPool(sql: Sql, kind: Network['kind'], remembered: Remembered): Promise<AddressSet> {
  remembered.pool ??= { addresses: new Set(), last: 0 };
  const { pool } = remembered;
  const { addresses, last } = await poolAddressesAfter(sql, kind, pool.last);
  for (const address of addresses) pool.addresses.add(address.toLowerCase());
  pool.last = last;
  return pool.addresses;
}

/** Joins both sets without a copy of the first. @param few in any spelling */
export function together(many: AddressSet, few: readonly string[]): AddressSet {
  const others = new Set(few.map((address) => address.toLowerCase()));
  return {
    size: many.size + others.size,
    has: (address) => many.has(address) || others.has(address),
    *[Symbol.iterator]() {
      yield* many;
      yield* others;
    },
  };
}
