import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Rest } from '../kernel/temporal/send-command';
import { createPartyGate, type PartyGate } from '../process/party-gate';
import type { Services } from '../services';
import { advance } from './engine/advance';
import type { AnyKind } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';
import { NOTHING_LEFT, waitOf } from './waits';

/** Time limit of a first step, because later commands to Temporal wait for it. */
const PATIENCE_MS = 2_000;
/**
 * First steps of one party at a time. More would slow down requests, fewer would leave too many to workflows
 * (docs/benchmarks.md).
 */
const AT_ONCE = 4;
/** Time limit for a free place. */
const WAIT_MS = 1_000;
/** Longest sleep of a workflow that waits only for a signal. Nothing depends on it. */
const LONGEST_REST_MS = 24 * 60 * 60_000;

/**
 * Runs the first step of a new transfer (its order) in the process that committed it, and the next ones while the start
 * of its workflow is held (../kernel/temporal/hand-over.ts). The workflow then starts asleep and wakes by a signal, or
 * starts for an ended transfer. Each step saves a task of Temporal and six events of history (docs/benchmarks.md).
 *
 * The workflow starts awake and takes the step itself when the step fails or times out. The step is idempotent.
 */
export function createFirstStep(
  services: Services,
  gate: PartyGate = createPartyGate({
    atOnce: AT_ONCE,
    waitMs: WAIT_MS,
    observe: (party, open) => services.observeBreaker('first_step', party, open),
  }),
): FirstStep {
  /** Places of their own, so that reports do not wait behind the orders of new transfers. */
  const look = createPartyGate({
    atOnce: AT_ONCE,
    observe: (party, open) => services.observeBreaker('report_step', party, open),
  });
  const gates = { start: gate, look };

  async function step(
    { kind, id }: Named,
    { workflow, action }: WorkflowCommand,
    mayCommit: () => boolean,
  ): Promise<Rest> {
    const { open, status, lookAt } = await gates[action].inPassing(kind.party, () =>
      advance({ ...services, mayCommit }, kind, id),
    );
    if (!open) return { status, waitsFor: NOTHING_LEFT };
    const latest = Date.now() + LONGEST_REST_MS;
    const until = new Date(Math.min(lookAt ?? latest, latest));
    return { status, until, waitsFor: waitOf(workflow, status) };
  }

  return async (command, isLeased) => {
    const found = transferOf(command);
    if (!found) return undefined;
    const given = new AbortController();
    let isLate = false;
    const tired = async () => {
      await sleep(PATIENCE_MS, undefined, { signal: given.signal, ref: false });
      isLate = true;
      return undefined;
    };
    try {
      return await Promise.race([step(found, command, () => !isLate && isLeased()), tired()]);
    } catch (error) {
      services.log.debug(
        { error: (error as Error).name, workflowId: command.workflowId },
        'the first step failed and is left to the workflow',
      );
      return undefined;
    } finally {
      given.abort();
    }
  };
}

interface Named {
  kind: AnyKind;
  id: string;
}

/** Finds the transfer of a command. Transfers that the party created have no order and are left out. */
function transferOf({ workflowId }: WorkflowCommand): Named | undefined {
  for (const kind of TRANSFER_KINDS) {
    const id = kind.namedBy === undefined ? kind.process.keyOf(workflowId) : undefined;
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}
