import type { Sql } from '../../kernel/db/database';
import { invalid } from '../../kernel/errors';
import { type NamedRole, rolesOf } from '../wallets/seed/named-addresses';

const TAKEN: Record<NamedRole, string> = {
  station: 'must not be a present or former station of the chain',
  treasury:
    'must not be the treasury of the chain, nor a former one that received sweeps or has paid a station',
};

/**
 * Refuses an address that had the other role. An address has one role for ever, because a balance in the books of two
 * roles would count twice. The caller holds the configuration's lock.
 * @param role that the address must never have had
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
