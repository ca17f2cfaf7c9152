import { isMined, reportedTransaction } from '../../../../parties/chain/agreement';
import type { ChainNode, ChainTransaction } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { releaseVanished, settledFrom, settledOf } from '../nonces-store';
import type { GasOperation } from '../record';
import { judgeOwn } from '../rules';
import { handOver } from '../steps/broadcast';
import { findOperation } from '../store';
import { closeVanished, isHeld, showVanished, vanishedOperations } from './breaks';
import type { Attempt } from './record';

/** Used when the local chain begins anew, so that nonces of the earlier chain leave no gap. */

export { releaseAll as releaseNoncesOf } from '../nonces-store';

type Settled = Attempt & { executed: string | null };

/**
 * Checks before the next nonce whether the chain has lost settled transactions, for instance in a deep reorganisation.
 * Broadcasts a transaction signed here again, because later nonces wait for it. Frees the nonce of one that a person
 * signed. Opens a break for both.
 * @param counted mined transactions of the sender, by all nodes
 * @throws ChainAway; NodesDisagree when too few nodes keep up to decide
 */
export async function repairVanished(
  services: Pick<Services, 'database' | 'now'>,
  node: ChainNode,
  sender: Pick<Attempt, 'chain' | 'address'>,
  counted: number,
): Promise<void> {
  const [one] = await settledFrom(services.database, { ...sender, from: counted, limit: 1 });
  if (!one) return;
  // A node that is far behind knows only some of the settled transactions.
  const from = await node.nonce(sender.address);
  const settled = await settledFrom(services.database, { ...sender, from });
  const lost: Settled[][] = [];
  // Newest first: a mined transaction shows that all before it are mined. The nodes that reported the lower count may
  // only lag.
  for (const nonce of [...new Set(settled.map((each) => each.nonce))].reverse()) {
    const attempts = settled.filter((each) => each.nonce === nonce);
    const known = await knownOf(node, attempts);
    if (known && isMined(known) && known.nonce >= nonce) break;
    if (!known) lost.unshift(attempts);
  }
  for (const attempts of lost) await mend(services, node, attempts);
}

/**
 * @param attempts all of one nonce
 * @returns the answer about one of them; undefined when no node knows any
 */
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

/** Whether every node answers, because a silent node may be the one that knows the transaction. */
async function allAnswer(node: ChainNode): Promise<boolean> {
  const { number } = await node.head();
  const { said, of, isSplit } = await node.agreedBlock(number);
  return said === of && !isSplit;
}

/**
 * Closes the break of a vanished transaction once most nodes tell that a block has it again, with the result that was
 * booked. Another transaction of the operation does not close the break.
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

/** @param attempts of the nonce that was lost */
async function hasReturned(
  node: ChainNode,
  operation: GasOperation,
  attempts: readonly Attempt[],
): Promise<boolean> {
  const { txHash, movedUnits } = operation;
  const lost = attempts.find(({ hash }) => hash === txHash) ?? attempts.at(-1);
  const hash = lost?.hash ?? txHash;
  if (!lost || hash === null) return false;
  const { word, isAgreed } = await reportedTransaction(node, hash);
  if (!isAgreed || !isMined(word)) return false;
  // A transaction executed by a person has its hash on the attempt only when it was reverted.
  if (hash !== txHash) return lost.raw === null && word.status === 'reverted';
  const verdict = judgeOwn(operation, word);
  return movedUnits === (verdict.is === 'right' ? verdict.moved : 0n);
}
