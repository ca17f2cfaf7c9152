import { ChainRefused } from '../../../../parties/chain/errors';
import type { ChainNode } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { boundedFees } from '../../rules';
import { moveOperation } from '../end';
import type { Attempt } from '../nonces/record';
import { keepBroadcast } from '../nonces/store';
import { updateOperation } from '../store';
import { type Reached, type Seen, whileUnchanged } from './reach';
import { AGAIN, type Stepped, waitFor } from './stepped';

/** Hands the newest attempt to the chain, unless a block costs more than the cap by now. */
export async function broadcast(services: Services, seen: Seen, { node, config }: Reached): Promise<Stepped> {
  const latest = seen.attempts.at(-1);
  if (!latest) throw new Error(`the operation ${seen.operation.id} has nothing to broadcast`);
  if (!boundedFees(await node.fees(), config.maxGasPrice)) return waitFor(services, seen, 'gas_price');
  const isTaken = await handOver(node, latest);
  const at = services.now();
  await whileUnchanged(services, seen.operation, async (tx, operation) => {
    await keepBroadcast(tx, latest.number, at);
    // One that was refused is followed too: an earlier attempt may be in a block, and it is handed over again.
    const waitsFor = isTaken ? null : 'refused';
    if (operation.status === 'awaiting_confirmation')
      await moveOperation(services, tx, operation, 'follow', { waitsFor });
    else await updateOperation(tx, operation.id, { waitsFor, updatedAt: at });
  });
  return AGAIN;
}

/** Handed over twice it is the same transaction. @returns false when the chain refuses it */
export async function handOver(node: ChainNode, { raw }: Attempt): Promise<boolean> {
  if (raw === null) throw new Error('only what is signed can be broadcast');
  try {
    await node.broadcast(raw);
    return true;
  } catch (error) {
    if (error instanceof ChainRefused) return false;
    throw error;
  }
}
