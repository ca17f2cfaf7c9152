import type { Sql } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import { type NamedRole, rolesOf } from '../wallets/named-addresses';

const TAKEN: Record<NamedRole, string> = {
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
  role: NamedRole,
  { chain, address, field }: { chain: string; address: string; field: string },
): Promise<void> {
  if ((await rolesOf(sql, chain, [address])).get(address) === role)
    throw invalid(`${field} ${TAKEN[role]}.`, field);
}
