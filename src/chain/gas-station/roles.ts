import type { Sql } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import type { StationRole } from '../services';
import { addressesUsed } from './beside-books';

const TAKEN: Record<StationRole, string> = {
  station: 'must not be the station of the chain, nor have been it',
  treasury:
    'must not be the treasury of the chain, nor an address that was it and was swept to, or has paid a station',
};

/**
 * An address has one role for ever: what came to it is in the books of that role, and would be counted in those of the other too. The
 * caller holds the lock of the configuration.
 * @param role that it must never have had
 * @throws Problem 400 naming the field
 */
export async function assertNeverWas(
  sql: Sql,
  role: StationRole,
  { chain, address, field }: { chain: string; address: string; field: string },
): Promise<void> {
  const used = await addressesUsed(sql, chain);
  if (used[role].includes(address)) throw invalid(`${field} ${TAKEN[role]}.`, field);
}

/** The role of an address that is a station or a treasury, or was one. */
export function roleOf(
  used: Readonly<Record<StationRole, readonly string[]>>,
  address: string,
): StationRole | undefined {
  if (used.station.includes(address)) return 'station';
  return used.treasury.includes(address) ? 'treasury' : undefined;
}
