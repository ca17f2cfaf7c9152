import { isMined, toldOf } from '../../../../parties/chain/agreement';
import type { ChainNode, ChainTransaction } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import type { GasOperation } from '../record';
import { judgeOwn } from '../rules';
import { handOver } from '../steps/broadcast';
import { findOperation } from '../store';
import { closeVanished, isHeld, showVanished, vanishedOperations } from './breaks';
import type { Attempt } from './record';
import { releaseVanished, settledFrom, settledOf } from './store';

/** Chains lose blocks that were final, and the local one begins anew: the nonces of before must leave no gap. */

export { releaseAll as releaseNoncesOf } from './store';

type Settled = Attempt & { executed: string | null };

/**
 * Looks, before an address gets its next nonce, whether the chain has lost some that were settled. What was signed here is handed over
 * again, for what comes after it waits for it; the nonce of what a person has signed is free again. A person is shown either.
 * @param counted of all nodes how many of its transactions are in blocks
 * @throws ChainAway; NodesDisagree where it may have, and too few nodes keep up to tell
 */
export async function mendNonces(
  services: Pick<Services, 'database' | 'now'>,
  node: ChainNode,
  sender: Pick<Attempt, 'chain' | 'address'>,
  counted: number,
): Promise<void> {
  const [one] = await settledFrom(services.database, { ...sender, from: counted, limit: 1 });
  if (!one) return;
  // One that is far behind knows little of what was settled.
  const from = await node.nonce(sender.address);
  const settled = await settledFrom(services.database, { ...sender, from });
  const lost: Settled[][] = [];
  // The last first: one that is in a block tells that all before it are. The nodes that have counted may only be behind the others.
  for (const nonce of [...new Set(settled.map((each) => each.nonce))].reverse()) {
    const attempts = settled.filter((each) => each.nonce === nonce);
    const known = await knownOf(node, attempts);
    if (known && isMined(known) && known.nonce >= nonce) break;
    if (!known) lost.unshift(attempts);
  }
  for (const attempts of lost) await mend(services, node, attempts);
}

/** @param attempts all of one nonce @returns what any node tells of one of them; nothing where none does */
async function knownOf(node: ChainNode, attempts: readonly Settled[]): Promise<ChainTransaction | undefined> {
  for (const { hash, executed } of attempts)
    for (const known of new Set([hash, executed])) {
      const word = known === null ? undefined : await node.transaction(known);
      if (word && word.status !== 'unknown') return word;
    }
  return undefined;
}

/** @param attempts all of one nonce, which no node knows */
async function mend(
  services: Pick<Services, 'database' | 'now'>,
  node: ChainNode,
  attempts: readonly Settled[],
): Promise<void> {
  const lost = attempts.find(({ hash, executed }) => hash === executed) ?? attempts.at(-1);
  if (!lost) return;
  if (lost.raw !== null) await handOver(node, lost);
  else if (await allAnswer(node)) await releaseVanished(services.database, lost.number, services.now());
  else return;
  await showVanished(services.database, lost);
}

/** A node that does not answer may be the one that knows. */
async function allAnswer(node: ChainNode): Promise<boolean> {
  const { number } = await node.head();
  const { said, of, isSplit } = await node.agreedBlock(number);
  return said === of && !isSplit;
}

/**
 * What was shown to have vanished from a chain is shown no longer once a block has it again, as most nodes tell, and it has ended as it
 * was booked: it was handed over again, or whoever had it has executed it. Another transaction of its operation is not what was booked.
 * @throws ChainAway
 */
export async function closeReturned(
  { database, now }: Pick<Services, 'database' | 'now'>,
  node: ChainNode,
  chain: string,
): Promise<void> {
  for (const [id, held] of await vanishedOperations(database)) {
    const operation = await findOperation(database, id);
    if (operation?.chain !== chain) continue;
    const settled = await settledOf(database, id);
    const each = await Promise.all(
      held.map((at) =>
        hasReturned(
          node,
          operation,
          settled.filter((row) => isHeld(row, at)),
        ),
      ),
    );
    if (each.every(Boolean)) await closeVanished(database, id, now());
  }
}

/** @param attempts those of the nonce that was lost */
async function hasReturned(
  node: ChainNode,
  operation: GasOperation,
  attempts: readonly Attempt[],
): Promise<boolean> {
  const { txHash, movedUnits } = operation;
  const lost = attempts.find(({ hash }) => hash === txHash) ?? attempts.at(-1);
  const hash = lost?.hash ?? txHash;
  if (!lost || hash === null) return false;
  const { word, isAgreed } = await toldOf(node, hash);
  if (!isAgreed || !isMined(word)) return false;
  // Of what a person has executed a hash is kept with the nonce only where it was reverted.
  if (hash !== txHash) return lost.raw === null && word.status === 'reverted';
  const verdict = judgeOwn(operation, word);
  return movedUnits === (verdict.is === 'right' ? verdict.moved : 0n);
}
