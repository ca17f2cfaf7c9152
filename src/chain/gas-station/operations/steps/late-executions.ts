import { finalTransaction } from '../../../../parties/chain/agreement';
import type { Services } from '../../../../services';
import { endExecuted } from '../lifecycle/end';
import type { Attempt } from '../nonces/record';
import { freedOf, settleFreed } from '../nonces-store';
import { judgeOwn } from '../rules';
import { findOperation } from '../store';
import { type ChainContext, finalBy } from './context';

/**
 * Books a given-up attempt that is final after all, because somebody has kept its bytes. Its operation has ended, so a
 * break shows the execution.
 * @param nonce the used nonce; null: all nonces that no other operation holds since
 * @throws ChainAway
 */
export async function bookLateExecutions(
  services: Pick<Services, 'database' | 'now'>,
  context: ChainContext,
  sender: Pick<Attempt, 'chain' | 'address'>,
  nonce: number | null,
): Promise<void> {
  for (const each of await freedOf(services.database, sender, nonce)) await bookOne(services, context, each);
}

async function bookOne(
  services: Pick<Services, 'database' | 'now'>,
  context: Pick<ChainContext, 'node' | 'network' | 'config'>,
  { chain, hash, operationId }: Attempt,
): Promise<void> {
  if (hash === null) return;
  const word = await finalTransaction(context.node, hash, finalBy(context));
  if (!word) return;
  await services.database.transaction(async (tx) => {
    const operation = await findOperation(tx, operationId, { lock: 'update' });
    if (!operation || operation.executedAt !== null) return;
    if (!(await settleFreed(tx, { chain, operationId, hash }, services.now()))) return;
    await endExecuted(services, tx, operation, context.network, {
      hash,
      word,
      verdict: judgeOwn(operation, word),
    });
  });
}
