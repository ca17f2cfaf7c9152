import type { Tx } from '../../../../kernel/db/database';
import {
  depthOf,
  isMined,
  type Mined,
  type ReportedTransaction,
  reportedTransaction,
} from '../../../../parties/chain/agreement';
import type { Services } from '../../../../services';
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
import { type ChainContext, type Snapshot, whileUnchanged } from './context';
import { bookLateExecutions } from './late-executions';
import { isOutbid, replace } from './replace';
import { AGAIN, lookIn, type StepResult, waitFor, waitForCap } from './step-result';
import { goOnAfterEarlier, waitForAgreement, waitForEarlier } from './waits';

/** A mined transaction of the operation as nodes tell it. */
interface MinedReport extends Pick<ReportedTransaction, 'isAgreed'> {
  hash: string;
  word: Mined;
}

/** Asks about all transactions of the operation, because any attempt may be the mined one. */
export async function follow(
  services: Services,
  snapshot: Snapshot,
  context: ChainContext,
): Promise<StepResult> {
  const latest = snapshot.attempts.at(-1);
  const isMember = snapshot.operation.batchOf !== null;
  if (isMember && latest?.raw && snapshot.operation.status === 'pending') return join(services, snapshot);
  // Read first, so that the later answers include whatever has used the nonce.
  const counted = latest?.raw ? await context.node.nonce(latest.address) : 0;
  const { mined, words } = await reportedTransactions(snapshot, context);
  if (mined) return inBlock(services, snapshot, context, mined);
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
  if (operation.txHash !== hash) {
    const noted = await noteHash(services, operation, hash);
    // The chain's answer still holds, so it is not asked again.
    return noted ? inBlock(services, { operation: noted, attempts }, context, report) : AGAIN;
  }
  const depth = await depthOf(context.node, word.block, context.config.sweepConfirmations);
  if (depth === 'shallow')
    return waitFor(services, snapshot, null, againSince(services, operation.updatedAt));
  if (depth === 'disputed' || !isAgreed) return waitForAgreement(services, snapshot);
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
