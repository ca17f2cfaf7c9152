import type { Database } from '../../src/kernel/db/database';

/**
 * Inserts wallets of a chain's pool, faster than they are derived. Nobody has the keys of their addresses, and they have no
 * attestation.
 */
export async function fillPool(
  { query }: Pick<Database, 'query'>,
  chain: string,
  count: number,
  { firstIndex = 1_000_000 }: { firstIndex?: number } = {},
): Promise<void> {
  await query(
    `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, created_at, updated_at)
     select 'wal_' || lpad(to_hex(n), 26, '0'), $1, 'evm', '0x' || lpad(to_hex(n), 40, '0'), n, 'pool', 'available',
            product_now(), product_now()
       from generate_series($2::int, $2::int + $3::int - 1) n`,
    [chain, firstIndex, count],
  );
}
