import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Rest } from '../kernel/temporal/send-command';
import { createPartyGate, type PartyGate } from '../process/party-gate';
import type { Services } from '../services';
import { advance } from './engine/advance';
import type { AnyKind } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';
import { waitOf } from './waits';

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
 * Runs the first step of a new transfer (its order) in the process that committed it. Its workflow then starts asleep
 * and wakes by a signal. Each transfer saves a task of Temporal and six events of history (docs/benchmarks.md).
 *
 * The workflow starts awake and takes the step itself when the step fails, times out or leaves nothing to wait for.
 * The step is idempotent.
 */
export function createFirstStep(
  services: Services,
  gate: PartyGate = createPartyGate({
    atOnce: AT_ONCE,
    waitMs: WAIT_MS,
    observe: (party, closed) => services.observeBreaker('first_step', party, closed),
  }),
): FirstStep {
  async function step(kind: AnyKind, id: string, workflow: string): Promise<Rest | undefined> {
    const { open, status, lookAt } = await gate.inPassing(kind.party, () => advance(services, kind, id));
    const latest = Date.now() + LONGEST_REST_MS;
    const until = new Date(Math.min(lookAt ?? latest, latest));
    return open ? { status, until, waitsFor: waitOf(workflow, status) } : undefined;
  }

  return async (command) => {
    const found = transferOf(command);
    if (!found) return undefined;
    const given = new AbortController();
    try {
      const tired = sleep(PATIENCE_MS, undefined, { signal: given.signal, ref: false });
      return await Promise.race([step(found.kind, found.id, command.workflow), tired]);
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

/** Finds the transfer of a command. Transfers that the party created have no order and are left out. */
function transferOf({ workflowId }: WorkflowCommand): { kind: AnyKind; id: string } | undefined {
  for (const kind of TRANSFER_KINDS) {
    const id = kind.namedBy === undefined ? kind.process.keyOf(workflowId) : undefined;
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}
