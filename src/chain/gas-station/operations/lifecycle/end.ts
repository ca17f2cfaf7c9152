import type { Tx } from '../../../../kernel/db/database';
import { isCurrency } from '../../../../kernel/money/currencies';
import type { Mined } from '../../../../parties/chain/agreement';
import { openBreak, openBreakAgain } from '../../../../process/breaks/operations';
import type { Services } from '../../../../services';
import type { Network } from '../../../networks/record';
import { ledgerAmount } from '../../../networks/rules';
import { endHold } from '../../../wallets/sweeps';
import { bookExecution } from '../books';
import { closeEnded } from '../nonces/breaks';
import { isCancelling, keepReverted, releaseNonces, settleNonces } from '../nonces-store';
import type { GasFailure, GasOperation, GasOperationTrigger } from '../record';
import { feeOf, isOpen, nextStatus, ownerOf, type Verdict } from '../rules';
import { countMembers, freeMembers, updateOperation } from '../store';

/** A final transaction. */
export interface Executed {
  hash: string;
  word: Mined;
  verdict: Verdict;
}

/** Applies a row of the state table. The caller holds the operation's lock. */
export async function moveOperation(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  on: GasOperationTrigger,
  change: Partial<GasOperation> = {},
): Promise<GasOperation> {
  const status = nextStatus(operation.status, on);
  if (!status) throw new Error(`there is no transition ${on} from ${operation.status}`);
  const ended = isOpen({ status }) ? {} : { dueBy: null };
  if (operation.type === 'sweep' && !isOpen({ status })) await endHold(tx, operation.walletId, operation.id);
  return updateOperation(tx, operation.id, {
    waitsFor: null,
    ...ended,
    ...change,
    status,
    updatedAt: now(),
  });
}

/**
 * Ends an operation whose transactions cannot be executed any more, and frees its unused nonces.
 * @param end `isNonceFree`: also frees the nonce of a broadcast attempt, because no node has it
 */
export async function endUnexecuted(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  end: { on: 'expire' } | { on: 'fail'; code: GasFailure; reason: string; isNonceFree: boolean },
): Promise<GasOperation> {
  const at = services.now();
  releaseNonces(tx, operation.id, { at, isHandedOverToo: end.on === 'fail' && end.isNonceFree });
  await closeEnded(tx, operation.id, at);
  freeMembers(tx, operation);
  const failure = end.on === 'fail' ? { failureCode: end.code, failureReason: end.reason } : {};
  return moveOperation(services, tx, operation, end.on, failure);
}

const FAILED = {
  success: 'The transaction was reverted.',
  other: 'The transaction has moved nothing to the recipient.',
};

/**
 * Books a final transaction of an operation and ends the operation: what arrived, and the gas, even when nothing moved.
 * An operation that has ended keeps its status, and a break shows the late execution.
 */
export async function endExecuted(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  network: Network,
  { hash, word, verdict }: Executed,
): Promise<GasOperation> {
  const { moved, lost } = storable(verdict.is === 'right' ? verdict : { moved: 0n, lost: 0n });
  const fee = feeOf(operation, word.fee, await countMembers(tx, operation));
  const at = services.now();
  const { chain } = operation;
  settleNonces(tx, { chain, operationId: ownerOf(operation), nonce: word.nonce, hash }, at);
  await closeEnded(tx, operation.id, at);
  const feeUnits = (operation.feeUnits ?? 0n) + fee;
  await bookExecution(
    tx,
    operation,
    network,
    { moved, lost, fee },
    { cause: operation.id, blockNumber: word.block.number },
  );
  const booked = { txHash: hash, movedUnits: moved, lostUnits: lost, executedAt: at, feeUnits };
  if (!isOpen(operation)) return bookLate(tx, operation, booked, at);
  if (verdict.is === 'right') return moveOperation(services, tx, operation, 'complete', booked);
  const failure = await failureOf(tx, operation, hash, verdict.in === 'success');
  return moveOperation(services, tx, operation, 'fail', { ...booked, ...failure });
}

/** The logs of an unlisted token's contract may add up to more than a column holds. */
const MAX_UNITS = 10n ** 78n - 1n;
const storable = ({ moved, lost }: { moved: bigint; lost: bigint }) => ({
  moved: moved < MAX_UNITS ? moved : MAX_UNITS,
  lost: lost < MAX_UNITS ? lost : MAX_UNITS,
});

async function failureOf(
  tx: Tx,
  { chain, cancelReason }: GasOperation,
  hash: string,
  isReverted: boolean,
): Promise<Pick<GasOperation, 'failureCode' | 'failureReason'>> {
  if (cancelReason !== null && (await isCancelling(tx, chain, hash)))
    return { failureCode: 'by_operator', failureReason: cancelReason };
  return isReverted
    ? { failureCode: 'reverted', failureReason: FAILED.success }
    : { failureCode: 'no_transfer', failureReason: FAILED.other };
}

/**
 * Books the gas of a reverted transaction that a person has executed, once for each transaction. An open operation
 * stays open, stops following it, and its next export has another nonce. A break shows a revert after the operation's
 * end.
 */
export async function bookReverted(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  network: Network,
  { hash, word }: Omit<Executed, 'verdict'>,
): Promise<GasOperation> {
  const at = services.now();
  const { id, chain, feeUnits, status, txHash } = operation;
  const isFollowed = status === 'confirming' && txHash === hash;
  const isNew = await keepReverted(tx, { ...word, operationId: id, chain, hash }, at);
  if (!isNew && !isFollowed) return operation;
  if (isNew)
    await bookExecution(
      tx,
      operation,
      network,
      { moved: 0n, lost: 0n, fee: word.fee },
      { cause: hash, blockNumber: word.block.number },
    );
  const booked = isNew ? { feeUnits: (feeUnits ?? 0n) + word.fee } : {};
  if (isFollowed) return moveOperation(services, tx, operation, 'forget', { ...booked, txHash: null });
  if (!isOpen(operation)) await openBreak(tx, { tenantId: null, kind: LATE, subject: id, detail: hash });
  return updateOperation(tx, id, { ...booked, updatedAt: at });
}

/** Keeps the status and opens a break, because nobody expected this execution any more. */
async function bookLate(
  tx: Tx,
  operation: GasOperation,
  booked: Partial<GasOperation> & { movedUnits: bigint },
  at: Date,
): Promise<GasOperation> {
  const { id, asset, decimals } = operation;
  const detail = booked.txHash ?? id;
  const money = isCurrency(asset)
    ? { amount: ledgerAmount(booked.movedUnits, decimals, asset).amount, currency: asset }
    : {};
  await openBreakAgain(tx, { tenantId: null, kind: LATE, subject: id, detail, ...money });
  return updateOperation(tx, id, { ...booked, updatedAt: at });
}

/** Break: an execution after the operation's end. */
const LATE = 'gas_operation_late';
