import type { Sql, Tx } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { Network } from '../../../networks/record';
import { otherWord } from '../../../networks/told-hashes';
import type { ChainServices } from '../../../services';
import { noteTakenBack } from '../../../wallets/balance';
import { findWalletById } from '../../../wallets/operations';
import { passSweep } from '../../shortfall';
import { endTakenBack } from '../end';
import { requireOperation } from '../read';
import type { GasOperation } from '../record';
import { lookAtGasOperation } from '../workflows';
import { requireTold } from './confirm';

/**
 * What a person has told of an operation, and would take back.
 * @param lock to the end of the transaction
 * @throws Problem 404; 409 `invalid_transition` for a chain whose nodes are asked, and where nothing was told
 */
export async function toTakeBackTold(
  sql: Sql,
  id: string,
  options: { lock?: boolean } = {},
): Promise<{ operation: GasOperation; network: Network }> {
  const operation = await requireOperation(sql, id, null, options);
  const network = await requireTold(sql, operation);
  if (operation.executedAt === null)
    throw conflict('invalid_transition', 'No word of a person stands that could be taken back.');
  return { operation, network };
}

/**
 * Takes back a person's word that an operation was executed: what was booked is undone, its hash is free for what it is of, and the
 * operation has failed, so that another one can be ordered.
 * @param given.takenBack of the word that is meant: told again it is another one, be it of the same hash
 * @throws Problem as {@link toTakeBackTold}; 409 `invalid_transition` where it is another word by now
 */
export async function takeBackTold(
  services: Pick<ChainServices, 'now' | 'commands' | 'heldByBooks'>,
  tx: Tx,
  { id, takenBack, reason }: { id: string; takenBack: number; reason: string },
): Promise<{ before: GasOperation; after: GasOperation }> {
  const { operation: before, network } = await toTakeBackTold(tx, id, { lock: true });
  if (before.takenBack !== takenBack) throw otherWord();
  const wallet = await findWalletById(tx, before.walletId, { lock: true });
  if (!wallet) throw new Error(`the wallet ${before.walletId} is not there`);
  const after = await endTakenBack(services, tx, before, network, reason);
  await noteTakenBack(tx, before);
  await passSweep(services, tx, wallet, id);
  services.commands.append(tx, [lookAtGasOperation(after)]);
  return { before, after };
}
