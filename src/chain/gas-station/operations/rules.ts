import { conflict, type Problem } from '../../../kernel/errors';
import type { Mined } from '../../../parties/chain/agreement';
import type { Attempt } from './nonces/record';
import {
  GAS_OPERATION_TRANSITIONS,
  type GasOperation,
  type GasOperationStatus,
  type GasOperationTrigger,
} from './record';

/** An operation that was not executed by then is expired. */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;

/** A transaction that is in no block for so long after it was broadcast is replaced by a dearer one. */
export const STUCK_AFTER_MS = 3 * 60_000;

/** What waits so long for earlier transactions of its sender is shown to a person. */
export const GAP_SHOWN_AFTER_MS = 15 * 60_000;

/** What waits for better prices, or for gas, is tried again after so long. */
export const TRY_AGAIN_MS = 60_000;

/** A sweep that the station sends waits so long for others, with which it shares a transaction. */
const GATHERS_MS = 5_000;

export const gathersUntil = ({ createdAt }: Pick<GasOperation, 'createdAt'>): Date =>
  new Date(createdAt.getTime() + GATHERS_MS);

/** How long one gives way to an older one, whose process may be lost. */
const GIVES_WAY_MS = 60_000;

type Waiting = Pick<GasOperation, 'id' | 'createdAt' | 'waitsFor'>;

/**
 * Whether an operation makes the transaction of its batch: the oldest does, so that not each of many asks the chain about all. Those that
 * wait for something else make none.
 * @param others that have no transaction either
 */
export function leadsBatch(operation: Waiting, others: readonly Waiting[], at: Date): boolean {
  const isOlder = ({ id, createdAt, waitsFor }: Waiting) =>
    waitsFor === null &&
    (createdAt < operation.createdAt || (+createdAt === +operation.createdAt && id < operation.id));
  return at.getTime() - gathersUntil(operation).getTime() > GIVES_WAY_MS || !others.some(isOlder);
}

/** What is to leave at least: an earlier transaction of the operation may be the one that is executed. */
export const leastOf = (before: bigint, now: bigint): bigint => (now < before ? now : before);

/**
 * What of a transaction's fee is one operation's: the same of each, and what cannot be divided is that of the one whose transaction
 * it is, so that the sum is exact.
 * @param members how many share it beside that one
 */
export function feeOf({ batchOf }: Pick<GasOperation, 'batchOf'>, fee: bigint, members: number): bigint {
  const each = fee / BigInt(members + 1);
  return batchOf === null ? fee - each * BigInt(members) : each;
}

const OPEN: readonly GasOperationStatus[] = ['pending', 'awaiting_confirmation', 'confirming'];

export const isOpen = ({ status }: Pick<GasOperation, 'status'>): boolean => OPEN.includes(status);

/** @returns nothing where the status has no such line */
export const nextStatus = (
  from: GasOperationStatus,
  on: GasOperationTrigger,
): GasOperationStatus | undefined =>
  GAS_OPERATION_TRANSITIONS.find((line) => line.from === from && line.on === on)?.to;

/** How long after a broadcast the chain is asked again: soon at first, since somebody may wait for it. */
export const askAgainAfter = (sinceMs: number): number => Math.min(15_000, Math.max(500, sinceMs / 4));

/** What an operation needs next; nothing where it waits for a person. */
export type Step = 'rest' | 'expire' | 'plan' | 'sign' | 'broadcast' | 'follow' | 'wait' | 'wait_for_batch';

/** @param attempts those of the operation, or of its batch, that hold their nonce, the first one first */
export function nextStep(operation: GasOperation, attempts: readonly Attempt[], at: Date): Step {
  if (!isOpen(operation)) return 'rest';
  const latest = attempts.at(-1);
  const isLocal = operation.execution === 'local';
  // The operation that a batch is of signs and broadcasts it; the others only follow.
  if (operation.batchOf !== null && latest?.broadcastAt === null) return 'wait_for_batch';
  // What nobody has yet cannot be executed, signed or not.
  if (isLocal && at >= operation.expiresAt && !isHandedOver(attempts) && operation.txHash === null)
    return 'expire';
  if (isLocal && latest?.raw === null) return 'sign';
  if (latest?.raw && latest.broadcastAt === null) return 'broadcast';
  if (latest?.raw || operation.txHash !== null) return 'follow';
  if (at >= operation.expiresAt) return 'expire';
  return isLocal ? 'plan' : 'wait';
}

/** Whether the chain may have any of them from us. */
export const isHandedOver = (attempts: readonly Pick<Attempt, 'broadcastAt'>[]): boolean =>
  attempts.some(({ broadcastAt }) => broadcastAt !== null);

/** What of a transaction is not as the operation has it. */
export type Difference = 'sender' | 'recipient' | 'token' | 'amount' | 'success';

/** What a transaction that is in a block is to an operation. Units are the chain's. */
export type Verdict = { is: 'right'; moved: bigint; lost: bigint } | { is: 'wrong'; in: Difference };

/** It is its sender's, and was reverted. */
export const isReverted = (verdict: Verdict): boolean => verdict.is === 'wrong' && verdict.in === 'success';

export const isSame = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/** Who signs and sends its transaction, and pays for gas. */
export const senderOf = ({
  stationAddress,
  fromAddress,
}: Pick<GasOperation, 'stationAddress' | 'fromAddress'>): string => stationAddress ?? fromAddress;

/**
 * Compares what a transaction has done with what the operation is to do. It may move more than was planned, for the balance may have
 * grown; a token that takes a fee of its transfers may bring less than has left.
 */
export function judge(
  operation: Pick<GasOperation, 'fromAddress' | 'stationAddress' | 'toAddress' | 'token' | 'units'>,
  { status, from, to, transfers }: Mined,
): Verdict {
  const { fromAddress, stationAddress, toAddress, token, units } = operation;
  if (!isSame(from, senderOf(operation))) return wrong('sender');
  if (status === 'reverted') return wrong('success');
  const sent = transfers.filter((each) => isSame(each.from, fromAddress));
  const ofToken = sent.filter((each) => isSame(each.token, token));
  if (ofToken.length === 0) return wrong(sent.length === 0 ? 'amount' : 'token');
  const arrived = ofToken.filter((each) => isSame(each.to, toAddress));
  if (arrived.length === 0) return wrong('recipient');
  const moved = total(arrived);
  // One call of the token, the contract's too, moves to one recipient: what went elsewhere is what the token itself takes.
  const isOneTransfer = token !== null && (stationAddress !== null || isSame(to, token));
  const lost = isOneTransfer ? total(ofToken) - moved : 0n;
  return moved + lost < units ? wrong('amount') : { is: 'right', moved, lost };
}

/**
 * The same of a transaction that was signed here, and so is the operation's: where less than was planned has arrived, the token has
 * kept the rest.
 */
export function judgeOwn(operation: Parameters<typeof judge>[0], word: Mined): Verdict {
  const verdict = judge(operation, word);
  if (verdict.is === 'right' || verdict.in !== 'amount') return verdict;
  const { fromAddress, toAddress, token, units } = operation;
  const moved = total(
    word.transfers.filter(
      (each) => isSame(each.from, fromAddress) && isSame(each.to, toAddress) && isSame(each.token, token),
    ),
  );
  return moved === 0n ? verdict : { is: 'right', moved, lost: units - moved };
}

const wrong = (what: Difference): Verdict => ({ is: 'wrong', in: what });

const total = (transfers: readonly { units: bigint }[]): bigint =>
  transfers.reduce((sum, { units }) => sum + units, 0n);

/** Why a hash that somebody has named is refused, and the operation stays as it is. */
export const notIts = (why: string): Problem =>
  conflict('invalid_transition', `The transaction is not this operation's: ${why}.`, 'txHash');

/** An operation is executed once. */
export const otherBooked = (): Problem =>
  conflict('invalid_transition', 'Another transaction of the operation was booked.', 'txHash');
