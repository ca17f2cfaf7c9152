import type { ChainTransaction } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { isAboveCap } from '../../rules';
import { endExecuted, endUnexecuted, moveOperation } from '../end';
import { closeTaken, showTaken } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import type { GasOperation } from '../record';
import { askAgainAfter, confirmationsOf, judge, judgeOwn, STUCK_AFTER_MS } from '../rules';
import { updateOperation } from '../store';
import { handOver } from './broadcast';
import { type Reached, type Seen, whileUnchanged } from './reach';
import { replace } from './replace';
import { AGAIN, lookIn, type Stepped, waitFor } from './stepped';

type Mined = Extract<ChainTransaction, { status: 'succeeded' | 'reverted' }>;

/** Asks what has become of the operation's transactions: any of them may be the one that is in a block. */
export async function follow(services: Services, seen: Seen, reached: Reached): Promise<Stepped> {
  const latest = seen.attempts.at(-1);
  const isMember = seen.operation.batchOf !== null;
  if (isMember && latest?.raw && seen.operation.status === 'pending') return join(services, seen);
  // Asked first: what has used the nonce is known to whoever is asked afterwards.
  const counted = latest?.raw ? await reached.node.nonce(latest.address) : 0;
  const words: ChainTransaction['status'][] = [];
  for (const hash of hashesOf(seen)) {
    const word = await reached.node.transaction(hash);
    if (word.status === 'succeeded' || word.status === 'reverted')
      return inBlock(services, seen, reached, hash, word);
    words.push(word.status);
  }
  if (seen.operation.waitsFor === 'nonce_taken' && words.includes('pending'))
    await closeTaken(services.database, seen.operation.id, services.now());
  if (!latest?.raw) return notSeen(services, seen, words.includes('pending'));
  if (isMember) return waitFor(services, seen, null, askAgainAfter(sinceBroadcast(services, latest)));
  if (counted > latest.nonce && !words.includes('pending')) return nonceTaken(services, seen, latest);
  return inNoBlock(services, seen, reached, latest, words[0] === 'pending');
}

/** The transaction of its batch is on its way. */
async function join(services: Services, { operation }: Seen): Promise<Stepped> {
  await whileUnchanged(services, operation, (tx, current) => moveOperation(services, tx, current, 'follow'));
  return AGAIN;
}

const sinceBroadcast = ({ now }: Pick<Services, 'now'>, { broadcastAt }: Attempt): number =>
  broadcastAt === null ? 0 : now().getTime() - broadcastAt.getTime();

/** The newest first: it is the likeliest. */
function hashesOf({ operation: { txHash }, attempts }: Seen): string[] {
  const signed = attempts.flatMap(({ raw, hash }) => (raw && hash) ?? []).reverse();
  return txHash === null || signed.includes(txHash) ? signed : [txHash, ...signed];
}

/** Final once it has its confirmations, and the nodes agree on its block. */
async function inBlock(
  services: Services,
  seen: Seen,
  reached: Reached,
  hash: string,
  word: Mined,
): Promise<Stepped> {
  const { operation, attempts } = seen;
  const { network, node, config } = reached;
  if (operation.txHash !== hash) {
    const noted = await noteHash(services, operation, hash);
    // What the chain has said of it holds: nobody need be asked again.
    return noted ? inBlock(services, { operation: noted, attempts }, reached, hash, word) : AGAIN;
  }
  const { number } = await node.head();
  if (confirmationsOf(number, word) < config.sweepConfirmations) return soon(services, operation.updatedAt);
  const agreed = await node.agreedBlock(word.block.number);
  if (agreed.isSplit || agreed.hash !== word.block.hash)
    return waitFor(services, seen, 'nodes_disagree', CONFIRM_MS);
  const isOurs = attempts.some((attempt) => attempt.raw !== null && attempt.hash === hash);
  const verdict = (isOurs ? judgeOwn : judge)(operation, word);
  const isForeign = verdict.is === 'wrong' && verdict.in !== 'success' && !isOurs;
  await whileUnchanged(services, operation, (tx, current) =>
    isForeign
      ? moveOperation(services, tx, current, 'forget', { txHash: null, waitsFor: 'wrong_transaction' })
      : endExecuted(services, tx, current, network, { hash, word, verdict }),
  );
  return AGAIN;
}

/** @returns the operation, which follows it now; nothing where it has changed since it was read */
async function noteHash(
  services: Services,
  operation: GasOperation,
  hash: string,
): Promise<GasOperation | undefined> {
  let noted: GasOperation | undefined;
  await whileUnchanged(services, operation, async (tx, { id }) => {
    const at = services.now();
    await closeTaken(tx, id, at);
    noted = await updateOperation(tx, id, { txHash: hash, waitsFor: null, updatedAt: at });
  });
  return noted;
}

/** Of those signed here: handed over again where the chain has lost it, and replaced where it stays too long. */
async function inNoBlock(
  services: Services,
  seen: Seen,
  reached: Reached,
  latest: Attempt,
  isKnown: boolean,
): Promise<Stepped> {
  if (!isKnown && isAboveCap(latest, reached.config.maxGasPrice)) return waitFor(services, seen, 'gas_price');
  const isTaken = isKnown || (await handOver(reached.node, latest));
  const since = sinceBroadcast(services, latest);
  if (since >= STUCK_AFTER_MS) return replace(services, seen, reached, latest);
  return waitFor(services, seen, isTaken ? null : 'refused', askAgainAfter(since));
}

/** A transaction that we know nothing of has used the nonce. A person is shown when it is so for longer than nodes may lag. */
async function nonceTaken(services: Services, seen: Seen, latest: Attempt): Promise<Stepped> {
  if (seen.operation.waitsFor === 'nonce_taken') await showTaken(services.database, latest);
  return waitFor(services, seen, 'nonce_taken');
}

/** What a person has confirmed and is in no block: until the operation expires it may come into one. */
async function notSeen(services: Services, { operation }: Seen, isPending: boolean): Promise<Stepped> {
  if (isPending || services.now() < operation.expiresAt) return soon(services, operation.updatedAt);
  await whileUnchanged(services, operation, (tx, current) =>
    endUnexecuted(services, tx, current, { on: 'expire' }),
  );
  return AGAIN;
}

const soon = (services: Pick<Services, 'now'>, since: Date): Stepped =>
  lookIn(services, askAgainAfter(services.now().getTime() - since.getTime()));

/** Nodes that disagree are asked again after so long. */
const CONFIRM_MS = 5_000;
