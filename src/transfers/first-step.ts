import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowCommand } from '../kernel/outbox/commands';
import type { FirstStep } from '../kernel/temporal/hand-over';
import type { Rest } from '../kernel/temporal/send-command';
import { createPartyGate, type PartyGate } from '../process/party-gate';
import type { Services } from '../services';
import { advance } from './engine/advance';
import type { AnyKind } from './engine/kind';
import { TRANSFER_KINDS } from './kinds';

/** Whoever waits for it keeps commands of others from Temporal. */
const PATIENCE_MS = 2_000;
/** Of one party: more would keep requests from the processor, fewer would leave too many to their workflows (docs/benchmarks.md). */
const AT_ONCE = 4;
/** For its turn. */
const WAIT_MS = 1_000;
/** One that waits for a word alone wakes so often all the same: nothing depends on it. */
const LONGEST_REST_MS = 24 * 60 * 60_000;

/**
 * The first step of a new transfer – its order – is taken by the process that has committed it, as soon as it has: its
 * workflow then begins asleep, and wakes when there is a word. That saves each transfer a task of Temporal's and six events of
 * history (docs/benchmarks.md). Where the step fails, takes too long or leaves nothing to wait for, the workflow begins awake
 * and takes it again; done twice, it has been done once.
 */
export function createFirstStep(
  services: Services,
  gate: PartyGate = createPartyGate({
    ...{ atOnce: AT_ONCE, waitMs: WAIT_MS },
    observe: (party, closed) => services.observeBreaker('first_step', party, closed),
  }),
): FirstStep {
  async function step(kind: AnyKind, id: string): Promise<Rest | undefined> {
    const { open, status, lookAt } = await gate.inPassing(kind.party, () => advance(services, kind, id));
    const latest = Date.now() + LONGEST_REST_MS;
    return open ? { status, until: new Date(Math.min(lookAt ?? latest, latest)) } : undefined;
  }

  return async (command) => {
    const found = transferOf(command);
    if (!found) return undefined;
    const given = new AbortController();
    try {
      const tired = sleep(PATIENCE_MS, undefined, { signal: given.signal, ref: false });
      return await Promise.race([step(found.kind, found.id), tired]);
    } catch (error) {
      services.log.debug(
        { error: (error as Error).name, workflowId: command.workflowId },
        'a first step is left to its workflow',
      );
      return undefined;
    } finally {
      given.abort();
    }
  };
}

/** Of those that are named by their own id: what the party has made has no order. */
function transferOf({ workflowId }: WorkflowCommand): { kind: AnyKind; id: string } | undefined {
  for (const kind of TRANSFER_KINDS) {
    const id = kind.namedBy === undefined ? kind.process.keyOf(workflowId) : undefined;
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}
