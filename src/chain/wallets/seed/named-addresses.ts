import { anyOf, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';

/**
 * Addresses that people name: the stations and treasuries of a chain. An address has one role for ever, because its
 * balance is in the books of that role. An unused treasury is the exception: its address is free again when another
 * treasury is named.
 */

/** The ledger account of the chain that holds the balance of the address. */
export type NamedRole = 'station' | 'treasury';

interface Named {
  chain: string;
  address: string;
  role: NamedRole;
}

const named = () => table('named_addresses');

/** Keeps the role of an address for ever, because it is a station or money was sent from or to it. Idempotent. */
export const keepRole = async (tx: Tx, { chain, address, role }: Named): Promise<void> => {
  await tx.run(
    named().insert({ chain, address, role, used: true }).onConflict(['chain', 'address']).merge(['used']),
  );
};

/** Names the treasury of a chain in place of the earlier one. Idempotent. */
export async function nameTreasury(tx: Tx, chain: string, address: string | null): Promise<void> {
  await tx.run(named().where({ chain, role: 'treasury', used: false }).delete());
  if (address === null) return;
  const row = { chain, address, role: 'treasury', used: false };
  await tx.run(named().insert(row).onConflict(['chain', 'address']).ignore());
}

/** Lists the addresses of each role on a chain, checksummed and sorted. */
export async function namedAddresses(sql: Sql, chain: string): Promise<Record<NamedRole, string[]>> {
  const rows = await sql.run<Named>(named().select('address', 'role').where({ chain }).orderBy('address'));
  const of = (wanted: NamedRole) => rows.flatMap(({ address, role }) => (role === wanted ? [address] : []));
  return { station: of('station'), treasury: of('treasury') };
}

/** The role of each of these addresses that has one. */
export async function rolesOf(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, NamedRole>> {
  const query = named().select('address', 'role').where({ chain }).where(anyOf('address', addresses));
  return new Map((await sql.run<Named>(query)).map(({ address, role }) => [address, role]));
}
