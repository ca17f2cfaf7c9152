import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { NumberedCommand, WorkflowCommand } from '../outbox/commands';
import { continuedTrace } from '../tracing/trace';
import { grpcErrorIn } from './grpc-error';
import { RECORD_MEMO, recordAddress } from './record-address';
import { searchAttributesOf } from './search-attributes';
import { LOOK } from './signals';

/** State of a record whose first steps were taken by the committing process. */
export interface Rest {
  /** Time until which its workflow sleeps. Absent: the record has ended, and its workflow takes no step. */
  until?: Date;
  /** Status of the record. */
  status: string;
  /** Reason of the wait, one sentence for operators. */
  waitsFor?: string | undefined;
}

/** How a workflow is started. */
export interface Telling {
  /** Starts the workflow asleep until a signal or a time, or for an ended record. Not after an earlier run. */
  rest?: Rest | undefined;
  /** Address of the desk, for links to records. Default: the command that shows a record. */
  deskUrl?: string | undefined;
}

/** Answer of Temporal to a command. `found`: a start found an earlier workflow. `away`: the command is not at fault and waits. */
export type Told = { outcome: 'taken'; found?: true } | { outcome: 'away' | 'refused'; reason: string };

/**
 * gRPC codes that blame the command itself, or the server's handling of it. All others describe the state of Temporal
 * (unavailable, deadline exceeded, missing namespace or rights) and would be the same for any command.
 */
const REFUSALS: Record<number, string> = {
  2: 'UNKNOWN',
  3: 'INVALID_ARGUMENT',
  6: 'ALREADY_EXISTS',
  9: 'FAILED_PRECONDITION',
  11: 'OUT_OF_RANGE',
  13: 'INTERNAL',
  15: 'DATA_LOSS',
};
const INVALID_ARGUMENT = 3;
const REASON_LENGTH = 300;

/**
 * Starts the command's workflow or signals it to look. Idempotent: a running workflow is reused. A workflow that has
 * ended runs again, and ends in its first activity when its record is final.
 */
export const tellTemporal = (
  client: Client,
  command: WorkflowCommand & Pick<NumberedCommand, 'traceparent'>,
  telling: Telling = {},
): Promise<Told> => continuedTrace(command.traceparent, () => tell(client, command, telling));

async function tell(client: Client, command: WorkflowCommand, telling: Telling): Promise<Told> {
  try {
    await send(client, command, telling, true);
    return { outcome: 'taken' };
  } catch (error) {
    if (!lacksSearchAttributes(error)) return outcomeOf(error);
  }
  // The attributes are not registered yet, or the server refuses them. The command does not wait for search attributes.
  try {
    await send(client, command, telling, false);
    return { outcome: 'taken' };
  } catch (error) {
    return outcomeOf(error);
  }
}

async function send(
  client: Client,
  command: WorkflowCommand,
  { rest, deskUrl }: Telling,
  findable: boolean,
): Promise<void> {
  const address = recordAddress(command.workflowId, deskUrl);
  const details = startDetails(address, rest);
  const options = {
    workflowId: command.workflowId,
    taskQueue: command.taskQueue,
    args: rest && !rest.until ? [...command.args, rest.status] : command.args,
    // A start fails instead, so that its caller learns of the earlier workflow.
    workflowIdConflictPolicy: command.action === 'start' ? 'FAIL' : 'USE_EXISTING',
    // An earlier run was started by a later look, and has answered it.
    workflowIdReusePolicy: rest ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE',
    ...(command.summary ? { staticSummary: command.summary } : {}),
    ...(details ? { staticDetails: details } : {}),
    ...(address ? { memo: { [RECORD_MEMO]: address } } : {}),
    ...(findable ? { typedSearchAttributes: searchAttributesOf(command, rest?.status) } : {}),
  } as const;
  const startDelay = rest?.until && Math.max(1, rest.until.getTime() - Date.now());
  if (command.action === 'start')
    await client.workflow.start(command.workflow, startDelay ? { ...options, startDelay } : options);
  else await client.workflow.signalWithStart(command.workflow, { ...options, signal: LOOK });
}

/** Details of a start, which operators read in Temporal's UI before the first step and after the end. */
function startDetails(address: string | undefined, rest: Rest | undefined): string {
  const rests = rest && [
    `When it started: **${rest.status}**. ${rest.waitsFor ?? ''}`.trim(),
    rest.until
      ? `It sleeps until ${rest.until.toISOString()}, or until a signal.`
      : 'The process that took the request also took each step.',
  ];
  return [...(rests ?? []), ...(address ? [`Record: ${address}`] : [])].join('\n\n');
}

function lacksSearchAttributes(error: unknown): boolean {
  const cause = grpcErrorIn(error);
  return cause?.code === INVALID_ARGUMENT && /search attribute/i.test(cause.details);
}

function outcomeOf(error: unknown): Told {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { outcome: 'taken', found: true };
  const cause = grpcErrorIn(error);
  if (cause) {
    const name = REFUSALS[cause.code];
    const reason = `${name ?? cause.code} ${cause.details}`.slice(0, REASON_LENGTH);
    return { outcome: name ? 'refused' : 'away', reason };
  }
  if (error instanceof NamespaceNotFoundError || error instanceof WorkflowNotFoundError) {
    return { outcome: 'away', reason: 'NOT_FOUND the namespace does not exist' };
  }
  // The command never left this process, because its arguments cannot be encoded. The message is dropped, because it
  // may quote them.
  return { outcome: 'refused', reason: error instanceof Error ? error.name : 'unknown' };
}
