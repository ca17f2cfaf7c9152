import type { Tx } from '../../../../kernel/db/database';
import type { Network } from '../../../networks/record';
import type { ChainServices } from '../../../services';
import { noteMoved } from '../../../wallets/balance';
import { endTold } from '../end';
import { lockNonces } from '../nonces/store';
import type { GasOperation } from '../record';
import { notIts, otherBooked } from '../rules';
import { operationOfHash } from '../store';
import { lookAtGasOperation } from '../workflows';
import { assertThere } from './there';

/** A hash of a chain that no node is asked about: nobody can say what it is but who has named it. */
export interface ToldHash {
  hash: string;
  network: Network;
}

/**
 * Takes a person's word that an operation was executed as it was exported: it is booked and has ended. What gas has cost nobody tells,
 * and it is not booked. The caller holds the operation's lock.
 * @throws Problem 409 `invalid_transition` for a hash that is another operation's, a second one, and for more than the books have on
 *   the wallet
 */
export async function confirmTold(
  services: Pick<ChainServices, 'now' | 'commands' | 'heldByBooks'>,
  tx: Tx,
  operation: GasOperation,
  { hash, network }: ToldHash,
): Promise<GasOperation> {
  if (operation.executedAt !== null) throw otherBooked();
  await lockNonces(tx, operation.chain); // two who name the same hash at once
  const owner = await operationOfHash(tx, operation.chain, hash);
  if (owner !== undefined && owner !== operation.id) throw notIts(`it is of another operation, ${owner}`);
  await assertThere(services, tx, operation, network);
  const after = await endTold(services, tx, operation, network, hash);
  await noteMoved(services, tx, after);
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return after;
}
