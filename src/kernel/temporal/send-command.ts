import {
  type Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import type { WorkflowCommand } from '../outbox/commands';
import { searchAttributesOf } from './search-attributes';
import { LOOK } from './signals';

/** How a record rests that whoever committed it has brought a step on: its workflow need not look before. */
export interface Rest {
  until: Date;
  /** The record's status. */
  status: string;
}

/** What Temporal made of a command. `away`: the command is not at fault, and waits. */
export type Told = { outcome: 'taken' } | { outcome: 'away' | 'refused'; reason: string };

/**
 * The gRPC codes that blame the command itself, or the server in dealing with it. All others – unavailable, deadline
 * exceeded, resource exhausted, cancelled, aborted, a namespace that is not there (yet), rights that are missing – are
 * the state of Temporal, and would be the same for any command.
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
 * Starts the command's workflow, or tells it to look. Doing it twice does no harm: a workflow that runs is used, one that
 * has ended runs again, and its first activity ends it where its record is final.
 * @param rest begins the workflow asleep: a signal wakes it, or the time
 */
export async function tellTemporal(client: Client, command: WorkflowCommand, rest?: Rest): Promise<Told> {
  try {
    await send(client, command, rest, true);
    return { outcome: 'taken' };
  } catch (error) {
    if (!lacksSearchAttributes(error)) return outcomeOf(error);
  }
  // They are not registered yet, or the server does not let us: to be found in the UI is not worth waiting for.
  try {
    await send(client, command, rest, false);
    return { outcome: 'taken' };
  } catch (error) {
    return outcomeOf(error);
  }
}

async function send(
  client: Client,
  command: WorkflowCommand,
  rest: Rest | undefined,
  findable: boolean,
): Promise<void> {
  const options = {
    workflowId: command.workflowId,
    taskQueue: command.taskQueue,
    args: command.args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...(command.summary ? { staticSummary: command.summary } : {}),
    ...(findable ? { typedSearchAttributes: searchAttributesOf(command, rest?.status) } : {}),
  } as const;
  const startDelay = rest && Math.max(1, rest.until.getTime() - Date.now());
  if (command.action === 'start')
    await client.workflow.start(command.workflow, startDelay ? { ...options, startDelay } : options);
  else await client.workflow.signalWithStart(command.workflow, { ...options, signal: LOOK });
}

function lacksSearchAttributes(error: unknown): boolean {
  const cause = grpcErrorIn(error);
  return cause?.code === INVALID_ARGUMENT && /search attribute/i.test(cause.details);
}

function outcomeOf(error: unknown): Told {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { outcome: 'taken' };
  const cause = grpcErrorIn(error);
  if (cause) {
    const name = REFUSALS[cause.code];
    const reason = `${name ?? cause.code} ${cause.details}`.slice(0, REASON_LENGTH);
    return { outcome: name ? 'refused' : 'away', reason };
  }
  if (error instanceof NamespaceNotFoundError || error instanceof WorkflowNotFoundError) {
    return { outcome: 'away', reason: 'NOT_FOUND the namespace is not there' };
  }
  // It never left this process: its arguments cannot be sent. The message might quote them.
  return { outcome: 'refused', reason: error instanceof Error ? error.name : 'unknown' };
}

function grpcErrorIn(error: unknown): { code: number; details: string } | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  }
  return undefined;
}
