import type { Sql } from '../../../kernel/db/database';
import type { Keyring } from '../../../kernel/security/keyring';
import type { Destination } from '../../../parties/payouts/port';
import { findSealedDestination } from '../store';

const PURPOSE = 'payout-destinations';

/** A destination as it is kept: under a key of its own, bound to its payout. */
export function sealDestination(keyring: Keyring, payoutId: string, destination: Destination): Buffer {
  return keyring.sealer(PURPOSE).seal(Buffer.from(JSON.stringify(destination)), payoutId);
}

/** For the moment of submitting it: never to be logged, returned to a workflow, or kept. */
export async function openDestination(sql: Sql, keyring: Keyring, payoutId: string): Promise<Destination> {
  const sealed = await findSealedDestination(sql, payoutId);
  return JSON.parse(keyring.sealer(PURPOSE).open(sealed, payoutId).toString('utf8')) as Destination;
}
