import { depthOf, isMined, toldOf } from '../../../../parties/chain/agreement';
import type { Services } from '../../../../services';
import { endExecuted } from '../end';
import type { Attempt } from '../nonces/record';
import { freedOf, settleFreed } from '../nonces/store';
import { judgeOwn } from '../rules';
import { findOperation } from '../store';
import type { ChainContext } from './context';

/**
 * Books what was given up because no node had it, where it is in a block for good after all: somebody has kept its bytes. Its operation
 * has ended; a person is shown.
 * @param nonce which is found to be used; null: all that no other operation has been given since
 * @throws ChainAway
 */
export async function bookFreed(
  services: Pick<Services, 'database' | 'now'>,
  context: ChainContext,
  sender: Pick<Attempt, 'chain' | 'address'>,
  nonce: number | null,
): Promise<void> {
  for (const each of await freedOf(services.database, sender, nonce)) await bookOne(services, context, each);
}

async function bookOne(
  services: Pick<Services, 'database' | 'now'>,
  { node, network, config }: ChainContext,
  { chain, hash, operationId }: Attempt,
): Promise<void> {
  if (hash === null) return;
  const { word, isAgreed } = await toldOf(node, hash);
  if (!isAgreed || !isMined(word)) return;
  if ((await depthOf(node, word.block, config.sweepConfirmations)) !== 'final') return;
  await services.database.transaction(async (tx) => {
    const operation = await findOperation(tx, operationId, { lock: true });
    if (!operation || operation.executedAt !== null) return;
    if (!(await settleFreed(tx, { chain, operationId, hash }, services.now()))) return;
    await endExecuted(services, tx, operation, network, { hash, word, verdict: judgeOwn(operation, word) });
  });
}
