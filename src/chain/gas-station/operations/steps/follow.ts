import type { Tx } from '../../../../kernel/db/database';
import {
  depthOf,
  type FinalBy,
  isMined,
  type Mined,
  type ReportedTransaction,
  reportedTransaction,
} from '../../../../parties/chain/agreement';
import type { Block } from '../../../../parties/chain/port';
import type { Services } from '../../../../services';
import { makesBlocksByItself } from '../../../networks/rules';
import { balancesOf, noteRecovered } from '../../recoveries/after';
import { isAboveCap } from '../../rules';
import { bookReverted, endExecuted, endUnexecuted, moveOperation } from '../lifecycle/end';
import { closeTaken, closeWaits, showTaken } from '../nonces/breaks';
import type { Attempt } from '../nonces/record';
import { type GasOperation, isRecovery } from '../record';
import { askAgainAfter, isReverted, judge, judgeOwn, STUCK_AFTER_MS } from '../rules';
import { updateOperation } from '../store';
import { handOverAgain } from './broadcast';
import { cancel } from './cancel';
import { type ChainContext, finalBy, type Snapshot, whileUnchanged } from './context';
import { bookLateExecutions } from './late-executions';
import { isOutbid, replace } from './replace';
import { sharingSince } from './shared-answers';
import { AGAIN, lookIn, type StepResult, waitFor, waitForCap } from './step-result';
import { goOnAfterEarlier, waitForAgreement, waitForEarlier } from './waits';

/** A mined transaction of the operation as nodes tell it. */
interface MinedReport extends Pick<ReportedTransaction, 'isAgreed'> {
  hash: string;
  word: Mined;
  /** The newest block that was seen, where the chain makes blocks by itself. */
  newest?: Block | undefined;
}

/** How long the newest block that a node has named is taken for the newest. Milliseconds. */
const SEEN_MS = 3_000;

/**
 * Follows the transactions of an operation. While no block can have news, one node is asked for the height alone. A chain
 * that makes blocks only for transactions is asked at each look.
 */
export async function follow(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
): Promise<StepResult> {
  if (!makesBlocksByItself(context.network)) return ask(services, snapshot, context);
  const { newsFrom, txHash, updatedAt } = snapshot.operation;
  const newest = await context.node.look(SEEN_MS);
  if (newsFrom !== null && newest.number < newsFrom) {
    const mined = { number: newsFrom - context.config.sweepConfirmations + 1, at: updatedAt };
    const ms = txHash === null ? 0 : mostOfTime(mined, newest, newsFrom);
    return lookIn(services, Math.max(ms, againSince(services, updatedAt)));
  }
  const shared = { ...context, node: sharingSince(context.node, newest) };
  const result = await ask(services, snapshot, shared, newest);
  return result === AGAIN || result.newsFrom !== undefined
    ? result
    : { ...result, newsFrom: newest.number + 1 };
}

/** Asks about all transactions of the operation, because any attempt may be the mined one. */
async function ask(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
  newest?: Block,
): Promise<StepResult> {
  const { txHash, newsFrom } = snapshot.operation;
  if (txHash !== null && newsFrom !== null) {
    // A block had it at the last look, so its nonce tells nothing more.
    const { mined } = await reportedTransactions(snapshot, context);
    if (mined) return inBlock(services, snapshot, context, { ...mined, newest });
  }
  const latest = snapshot.attempts.at(-1);
  const isMember = snapshot.operation.batchOf !== null;
  if (isMember && latest?.raw && snapshot.operation.status === 'pending') return join(services, snapshot);
  // Read first, so that the later answers include whatever has used the nonce.
  const counted = latest?.raw ? await context.node.nonce(latest.address) : 0;
  const { mined, words } = await reportedTransactions(snapshot, context);
  if (mined) return inBlock(services, snapshot, context, { ...mined, newest });
  if (snapshot.operation.waitsFor === 'nonce_taken' && words.includes('pending'))
    await closeTaken(services.database, snapshot.operation.id, services.now());
  if (!latest?.raw) return notSeen(services, snapshot, words.includes('pending'));
  if (isMember) return waitFor(services, snapshot, null, askAgainAfter(sinceBroadcast(services, latest)));
  if (counted > latest.nonce && !words.includes('pending'))
    return nonceTaken(services, snapshot, context, latest);
  return inNoBlock(services, snapshot, context, { latest, counted, isKnown: words[0] === 'pending' });
}

/** Prefers the transaction that most nodes tell the same of, when several are reported as mined. */
async function reportedTransactions(snapshot: Snapshot, { node }: ChainContext) {
  const words: ReportedTransaction['word']['status'][] = [];
  let mined: MinedReport | undefined;
  for (const hash of hashesOf(snapshot)) {
    const { word, isAgreed } = await reportedTransaction(node, hash);
    words.push(word.status);
    if (!isMined(word)) continue;
    if (isAgreed) return { mined: { hash, word, isAgreed }, words };
    mined ??= { hash, word, isAgreed };
  }
  return { mined, words };
}

/** Follows the transaction of the operation's batch. */
async function join(services: Services, { operation }: Snapshot): Promise<StepResult> {
  await whileUnchanged(services, operation, (tx, current) => moveOperation(services, tx, current, 'follow'));
  return AGAIN;
}

const sinceBroadcast = ({ now }: Pick<Services, 'now'>, { broadcastAt }: Attempt): number =>
  broadcastAt === null ? 0 : now().getTime() - broadcastAt.getTime();

/** Newest first, because it is the likeliest. */
function hashesOf({ operation: { txHash }, attempts }: Snapshot): string[] {
  const signed = attempts.flatMap(({ raw, hash }) => (raw && hash) ?? []).reverse();
  return txHash === null || signed.includes(txHash) ? signed : [txHash, ...signed];
}

/** Ends the operation when the block has its confirmations and the nodes agree on the block and the transaction. */
async function inBlock(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
  report: MinedReport,
): Promise<StepResult> {
  const { operation, attempts } = snapshot;
  const { hash, word, isAgreed } = report;
  const depth = await depthOf(context.node, word.block, finalBy(context));
  if (depth !== 'final' || !isAgreed) {
    const noted = operation.txHash === hash ? operation : await noteHash(services, operation, hash);
    if (!noted) return AGAIN;
    const waiting = { operation: noted, attempts };
    return depth === 'shallow'
      ? waitForDepth(services, waiting, report, finalBy(context))
      : waitForAgreement(services, waiting);
  }
  const isOurs = attempts.some((attempt) => attempt.raw !== null && attempt.hash === hash);
  const after = isRecovery(operation) ? await balancesOf(context.node, operation) : undefined;
  await whileUnchanged(services, operation, async (tx, current) => {
    if (after) await noteRecovered(tx, operation, after, word.block.number);
    return isOurs
      ? endExecuted(services, tx, current, context.network, { hash, word, verdict: judgeOwn(current, word) })
      : endConfirmed(services, tx, current, context, report);
  });
  return AGAIN;
}

/** Longest wait for confirmations, so that faster blocks are noticed. Milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/** Blocks after which a tag is asked for again. */
const TAG_BLOCKS = 8;

/** Waits until the block has its confirmations. Looks again after most of the time that the blocks will take. */
async function waitForDepth(
  services: Services,
  snapshot: Snapshot,
  { word: { block }, isAgreed, newest }: MinedReport,
  { confirmations, finality }: FinalBy,
): Promise<StepResult> {
  const since = againSince(services, snapshot.operation.updatedAt);
  if (!newest || !isAgreed) return waitFor(services, snapshot, null, since);
  const deep = block.number + confirmations - 1;
  // Only the nodes know when a tag moves.
  const newsFrom = finality === 'confirmations' ? deep : Math.max(deep, newest.number + TAG_BLOCKS);
  const result = await waitFor(
    services,
    snapshot,
    null,
    Math.max(since, mostOfTime(block, newest, newsFrom)),
  );
  return result === AGAIN ? result : { ...result, newsFrom };
}

/** Most of the time until a height, by the blocks since the first one. 0 where they tell nothing. Milliseconds. */
function mostOfTime(first: Pick<Block, 'number' | 'at'>, newest: Block, until: number): number {
  const blocks = newest.number - first.number;
  if (blocks <= 0) return 0;
  const interval = (newest.at.getTime() - first.at.getTime()) / blocks;
  return Math.min(LONGEST_WAIT_MS, Math.max(0, 0.9 * (until - newest.number) * interval));
}

/** Judges a transaction that a person executed. If it was not the transfer, the operation stays open. */
async function endConfirmed(
  services: Services,
  tx: Tx,
  operation: GasOperation,
  { network }: ChainContext,
  { hash, word }: MinedReport,
): Promise<GasOperation> {
  await closeWaits(tx, operation.id, services.now());
  const verdict = judge(operation, word);
  if (verdict.is === 'right') return endExecuted(services, tx, operation, network, { hash, word, verdict });
  return isReverted(verdict)
    ? bookReverted(services, tx, operation, network, { hash, word })
    : moveOperation(services, tx, operation, 'forget', { txHash: null, waitsFor: 'wrong_transaction' });
}

/** @returns the operation that now follows the hash; undefined when it has changed since it was read */
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

/**
 * Handles unmined attempts signed here: broadcasts a lost one again, and replaces one that newer blocks pass over for
 * its price.
 */
async function inNoBlock(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
  { latest, counted, isKnown }: { latest: Attempt; counted: number; isKnown: boolean },
): Promise<StepResult> {
  const since = sinceBroadcast(services, latest);
  const isStuck = since >= STUCK_AFTER_MS;
  const isCancelled = snapshot.operation.cancelReason !== null;
  if (isCancelled && !latest.cancels) return cancel(services, snapshot, context, latest);
  if (isStuck && counted < latest.nonce) return waitForEarlier(services, snapshot, latest, since);
  await closeWaits(services.database, snapshot.operation.id, services.now());
  if (!isKnown && isAboveCap(latest, context.config.maxGasPrice))
    return waitForCap(services, snapshot, 'gas_price');
  if (snapshot.operation.waitsFor === 'nonce_gap')
    return goOnAfterEarlier(services, snapshot, context, { latest, isKnown, since });
  const isTaken = await handOverAgain(services, context.node, latest, isKnown);
  if (isStuck) {
    const fees = await context.node.fees();
    if (await isOutbid(context.node, latest, fees))
      return latest.cancels
        ? cancel(services, snapshot, context, latest)
        : replace(services, snapshot, context, { latest, fees });
  }
  return waitFor(services, snapshot, isTaken ? null : 'refused', askAgainAfter(since));
}

/**
 * Handles a nonce that an unknown transaction, or a given-up attempt, has used. Opens a break on the second look,
 * because nodes may lag.
 */
async function nonceTaken(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
  latest: Attempt,
): Promise<StepResult> {
  await bookLateExecutions(services, context, latest, latest.nonce);
  if (snapshot.operation.waitsFor === 'nonce_taken') await showTaken(services.database, latest);
  return waitFor(services, snapshot, 'nonce_taken');
}

/** Waits for a confirmed transaction that no block has. It may be mined until the operation expires. */
async function notSeen(services: Services, { operation }: Snapshot, isPending: boolean): Promise<StepResult> {
  if (isPending || services.now() < operation.expiresAt) return soon(services, operation.updatedAt);
  await whileUnchanged(services, operation, (tx, current) =>
    endUnexecuted(services, tx, current, { on: 'expire' }),
  );
  return AGAIN;
}

const againSince = ({ now }: Pick<Services, 'now'>, since: Date): number =>
  askAgainAfter(now().getTime() - since.getTime());

const soon = (services: Pick<Services, 'now'>, since: Date): StepResult =>
  lookIn(services, againSince(services, since));
