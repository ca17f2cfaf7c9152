import type { Tx } from '../../../kernel/db/database';
import { isCurrency } from '../../../kernel/money/currencies';
import type { Mined } from '../../../parties/chain/agreement';
import { openBreak, openBreakAgain } from '../../../process/breaks/operations';
import type { Services } from '../../../services';
import type { Network } from '../../networks/record';
import { ledgerAmount } from '../../networks/rules';
import { endHold } from '../../wallets/sweeps';
import { bookExecution } from './books';
import { closeEnded } from './nonces/breaks';
import { isCancelling } from './nonces/refusals';
import { keepReverted, releaseNonces, settleFreed, settleNonces } from './nonces/store';
import type { GasOperation, GasOperationTrigger } from './record';
import { feeOf, isOpen, nextStatus, type Verdict } from './rules';
import { countMembers, freeMembers, updateOperation } from './store';

/** A transaction that is in a block for good. */
export interface Executed {
  hash: string;
  word: Mined;
  verdict: Verdict;
}

/** Applies a line of the table of states. The caller holds the operation's lock. */
export async function moveOperation(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  on: GasOperationTrigger,
  change: Partial<GasOperation> = {},
): Promise<GasOperation> {
  const status = nextStatus(operation.status, on);
  if (!status) throw new Error(`${on} leads nowhere from ${operation.status}`);
  const ended = isOpen({ status }) ? {} : { dueBy: null };
  if (operation.type === 'sweep' && !isOpen({ status })) await endHold(tx, operation.walletId, operation.id);
  return updateOperation(tx, operation.id, {
    ...{ waitsFor: null, ...ended, ...change },
    ...{ status, updatedAt: now() },
  });
}

/**
 * Ends an operation of which nothing will be executed any more: its nonce is free.
 * @param end `isNonceFree`: so is that of what was handed over, for nobody has it
 */
export async function endUnexecuted(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  end: { on: 'expire' } | { on: 'fail'; code: string; reason: string; isNonceFree: boolean },
): Promise<GasOperation> {
  const at = services.now();
  await releaseNonces(tx, operation.id, { at, isHandedOverToo: end.on === 'fail' && end.isNonceFree });
  await closeEnded(tx, operation.id, at);
  await freeMembers(tx, operation.id);
  const failure = end.on === 'fail' ? { failureCode: end.code, failureReason: end.reason } : {};
  return moveOperation(services, tx, operation, end.on, failure);
}

const FAILED = {
  success: 'The transaction was reverted.',
  other: 'The transaction has moved nothing to the recipient.',
};

/**
 * Books what a transaction has done, in the transaction that ends its operation: what has arrived, and what gas has cost, be it for
 * nothing. One that has ended before keeps its status; a person is shown.
 */
export async function endExecuted(
  services: Pick<Services, 'now'>,
  tx: Tx,
  operation: GasOperation,
  network: Network,
  { hash, word, verdict }: Executed,
): Promise<GasOperation> {
  const { moved, lost } = verdict.is === 'right' ? verdict : { moved: 0n, lost: 0n };
  const whole = operation.batchOf ?? operation.id;
  const fee = feeOf(operation, word.fee, await countMembers(tx, whole));
  const at = services.now();
  await settleNonces(tx, whole, word.nonce, at);
  await settleFreed(tx, { chain: operation.chain, operationId: whole, hash }, at);
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
  if (!isOpen(operation)) return endedBefore(tx, operation, booked, at);
  if (verdict.is === 'right') return moveOperation(services, tx, operation, 'complete', booked);
  const failure = await failureOf(tx, operation, hash, verdict.in === 'success');
  return moveOperation(services, tx, operation, 'fail', { ...booked, ...failure });
}

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
 * Books what gas has cost for a transaction of the operation's sender that a person has executed and that was reverted, be it confirmed
 * before that or after: the operation is as open as before, follows it no more, and is exported under another nonce. It is booked once a
 * transaction. Where the operation has ended, a person is shown.
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

/** It keeps its status: nobody waited for this any more. */
async function endedBefore(
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

/** The kind of the break that shows an execution after its operation had ended. */
const LATE = 'gas_operation_late';
