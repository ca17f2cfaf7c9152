import type { Sql, Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import { isAsked } from '../../../../parties/chain/witness';
import { requireHash } from '../../../networks/hashes';
import { requireNetwork } from '../../../networks/operations';
import type { Network } from '../../../networks/record';
import { lockToldHash } from '../../../networks/told-hashes';
import type { ChainServices } from '../../../services';
import { noteMoved } from '../../../wallets/balance';
import { endTold } from '../end';
import { requireOperation } from '../read';
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

type Deps = Pick<ChainServices, 'now' | 'heldByBooks' | 'toldDepositOf'>;

/** @throws Problem 409 `invalid_transition` for a chain whose nodes are asked */
export async function requireTold(sql: Sql, { chain }: Pick<GasOperation, 'chain'>): Promise<Network> {
  const network = await requireNetwork(sql, chain);
  if (isAsked(network))
    throw conflict('invalid_transition', `What is executed on ${network.name} is told by its nodes.`);
  return network;
}

/**
 * An operation with what is told of it, by the rules of now; nothing is done.
 * @throws Problem 404; 400 naming `txHash`; as {@link confirmTold}
 */
export async function confirmable(
  deps: Deps,
  sql: Sql,
  { id, txHash }: { id: string; txHash: string },
): Promise<{ operation: GasOperation; told: ToldHash }> {
  const operation = await requireOperation(sql, id, null);
  const network = await requireTold(sql, operation);
  const told = { hash: requireHash(network, txHash), network };
  await assertConfirmable(deps, sql, operation, told);
  return { operation, told };
}

/**
 * Takes a person's word that an operation was executed as it was exported: it is booked and has ended. What gas has cost nobody tells,
 * and it is not booked. The caller holds the operation's lock.
 * @throws Problem 409 `invalid_transition` for what was never exported, for a hash that is another operation's or a deposit's, a second
 *   one, and for more than the books have on the wallet
 */
export async function confirmTold(
  services: Deps & Pick<ChainServices, 'commands'>,
  tx: Tx,
  operation: GasOperation,
  told: ToldHash,
): Promise<GasOperation> {
  const { hash, network } = told;
  await lockToldHash(tx, { chain: operation.chain, txHash: hash });
  await assertConfirmable(services, tx, operation, told, { lock: true });
  const gasCounted = await noteMoved(tx, operation);
  const after = await endTold(services, tx, operation, network, { hash, gasCounted });
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return after;
}

async function assertConfirmable(
  { now, toldDepositOf, ...services }: Deps,
  sql: Sql,
  operation: GasOperation,
  { hash, network }: ToldHash,
  locking: { lock?: boolean } = {},
): Promise<void> {
  const { id, chain, exportedAt, executedAt } = operation;
  if (executedAt !== null) throw otherBooked();
  if (exportedAt === null)
    throw conflict(
      'invalid_transition',
      'The operation was never exported: nobody knows what to execute. Export it first.',
    );
  const owner = await operationOfHash(sql, chain, hash);
  if (owner !== undefined && owner !== id) throw notIts(`it is of another operation, ${owner}`);
  const deposit = await toldDepositOf(sql, { chain, txHash: hash }, now());
  if (deposit !== undefined) throw notIts(`it has brought the deposit ${deposit}`);
  await assertThere(services, sql, operation, network, locking);
}
