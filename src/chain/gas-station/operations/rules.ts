import { conflict, type Problem } from '../../../kernel/errors';
import type { Mined } from '../../../parties/chain/agreement';
import type { Attempt } from './nonces/record';
import {
  GAS_OPERATION_TRANSITIONS,
  type GasOperation,
  type GasOperationStatus,
  type GasOperationTrigger,
} from './record';

/** Age at which an unexecuted operation expires. */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;

/** Time after the broadcast at which an unmined transaction is replaced. */
export const STUCK_AFTER_MS = 3 * 60_000;

/** Wait for earlier transactions after which a person is shown a break. */
export const GAP_SHOWN_AFTER_MS = 15 * 60_000;

/** Retry interval of an operation that waits for prices or gas. */
export const TRY_AGAIN_MS = 60_000;

/** Time that a delegated sweep waits for others to share its transaction. */
const GATHERS_MS = 5_000;

export const gathersUntil = ({ createdAt }: Pick<GasOperation, 'createdAt'>): Date =>
  new Date(createdAt.getTime() + GATHERS_MS);

/** Longest time that an operation leaves the lead to an older one, whose workflow may be lost. */
const GIVES_WAY_MS = 60_000;

type Waiting = Pick<GasOperation, 'id' | 'createdAt' | 'waitsFor'>;

/**
 * Whether an operation makes the transaction of its batch. The oldest does, so that not all of them ask the chain about
 * all. Operations that wait for another reason never lead.
 * @param others operations without a transaction
 */
export function leadsBatch(operation: Waiting, others: readonly Waiting[], at: Date): boolean {
  const isOlder = ({ id, createdAt, waitsFor }: Waiting) =>
    waitsFor === null &&
    (createdAt < operation.createdAt || (+createdAt === +operation.createdAt && id < operation.id));
  return at.getTime() - gathersUntil(operation).getTime() > GIVES_WAY_MS || !others.some(isOlder);
}

/** Id of the operation that owns an operation's transaction: the one that made the batch, or the operation itself. */
export const ownerOf = ({ id, batchOf }: Pick<GasOperation, 'id' | 'batchOf'>): string => batchOf ?? id;

/** The smaller amount, because an earlier attempt of the operation may be the executed one. */
export const leastOf = (before: bigint, now: bigint): bigint => (now < before ? now : before);

/**
 * An operation's share of a transaction's fee. All shares are equal, and the operation that owns the transaction takes
 * the remainder.
 * @param members operations that share it beside the owner
 */
export function feeOf({ batchOf }: Pick<GasOperation, 'batchOf'>, fee: bigint, members: number): bigint {
  const each = fee / BigInt(members + 1);
  return batchOf === null ? fee - each * BigInt(members) : each;
}

const OPEN: readonly GasOperationStatus[] = ['pending', 'awaiting_confirmation', 'confirming'];

export const isOpen = ({ status }: Pick<GasOperation, 'status'>): boolean => OPEN.includes(status);

/** @returns undefined when the status has no such transition */
export const nextStatus = (
  from: GasOperationStatus,
  on: GasOperationTrigger,
): GasOperationStatus | undefined =>
  GAS_OPERATION_TRANSITIONS.find((line) => line.from === from && line.on === on)?.to;

/** Interval before the chain is asked again after a broadcast: short at first, because a caller may wait. */
export const askAgainAfter = (sinceMs: number): number => Math.min(15_000, Math.max(500, sinceMs / 4));

/** The next step of an operation. `wait` waits for a person. */
export type Step = 'rest' | 'expire' | 'plan' | 'sign' | 'broadcast' | 'follow' | 'wait' | 'wait_for_batch';

/** @param attempts of the operation or its batch that hold the nonce, first one first */
export function nextStep(operation: GasOperation, attempts: readonly Attempt[], at: Date): Step {
  if (!isOpen(operation)) return 'rest';
  const latest = attempts.at(-1);
  const isLocal = operation.execution === 'local';
  // The operation that owns the batch signs and broadcasts; the others follow.
  if (operation.batchOf !== null && latest?.broadcastAt === null) return 'wait_for_batch';
  // An attempt that was never broadcast cannot be executed, signed or not.
  if (isLocal && at >= operation.expiresAt && !isHandedOver(attempts) && operation.txHash === null)
    return 'expire';
  if (isLocal && latest?.raw === null) return 'sign';
  if (latest?.raw && latest.broadcastAt === null) return 'broadcast';
  if (latest?.raw || operation.txHash !== null) return 'follow';
  if (at >= operation.expiresAt) return 'expire';
  return isLocal ? 'plan' : 'wait';
}

/** Whether any attempt was broadcast. */
export const isHandedOver = (attempts: readonly Pick<Attempt, 'broadcastAt'>[]): boolean =>
  attempts.some(({ broadcastAt }) => broadcastAt !== null);

/** How a transaction differs from its operation. */
export type Difference = 'sender' | 'recipient' | 'token' | 'amount' | 'success';

/** How a mined transaction compares with an operation. Units are the chain's. */
export type Verdict = { is: 'right'; moved: bigint; lost: bigint } | { is: 'wrong'; in: Difference };

/** Whether the right sender's transaction was reverted. */
export const isReverted = (verdict: Verdict): boolean => verdict.is === 'wrong' && verdict.in === 'success';

export const isSame = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/** Signer and sender of the operation's transaction, who pays for gas. */
export const senderOf = ({
  stationAddress,
  fromAddress,
}: Pick<GasOperation, 'stationAddress' | 'fromAddress'>): string => stationAddress ?? fromAddress;

/**
 * Compares a mined transaction with its operation. It may move more than planned, because the balance may have grown. A
 * token with a fee on transfers delivers less than has left.
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
  // One call of the token, also by our contract, moves to one recipient. The rest is what the token itself takes.
  const isOneTransfer = token !== null && (stationAddress !== null || isSame(to, token));
  const lost = isOneTransfer ? total(ofToken) - moved : 0n;
  return moved + lost < units ? wrong('amount') : { is: 'right', moved, lost };
}

/** {@link judge} for a transaction that was signed here. If less than planned arrived, the token has kept the rest. */
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

/** Refuses a hash that a person has named. The operation stays unchanged. */
export const notIts = (why: string): Problem =>
  conflict('invalid_transition', `The transaction is not this operation's: ${why}.`, 'txHash');

/** Refuses a second execution. */
export const otherBooked = (): Problem =>
  conflict('invalid_transition', 'Another transaction of the operation was booked.', 'txHash');
