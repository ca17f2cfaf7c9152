import { randomUUID } from 'node:crypto';
import type {
  OrderOperation,
  PartOperation,
  PartyProtocol,
  StateOperation,
} from '../../src/parties/protocol/description';
import { meaningOf } from '../../src/parties/protocol/meanings';
import { type Ask, isDone, type Reply, told } from './caller';
import type { Heard, Told } from './listener';
import { Failed, Skipped } from './outcome';
import { type Read, readAs } from './shape';

/** A record that this run has made. */
export interface Made {
  operation: OrderOperation;
  ref: string;
  /** As it was ordered. */
  body: Record<string, unknown>;
  /** Of the state, or the answer where it tells it, when it was made. */
  version?: number;
}

/** What the checks of one run share. */
export interface Context {
  protocol: PartyProtocol;
  ask: Ask;
  secret: Buffer;
  /** How long we wait for what the party does by itself. */
  patienceMs: number;
  /** Where the party can call us. */
  callbackUrl?: string | undefined;
  heard: Heard[];
  /** How long messages of the party's lines are awaited; absent: nobody awaits them. */
  lineMs?: number | undefined;
  told: readonly Told[];
  /** A record that exists at the party, given by whoever checks. */
  record?: string | undefined;
  /** Fields that take the place of the sample's. */
  order: Record<string, unknown>;
  made: Made[];
  /** What the party has listed before this run. */
  listed: { ref: string }[];
}

type Writing = OrderOperation | PartOperation;

/** Nobody listens there. */
const NOWHERE = 'https://callbacks.example/none';

export const newKey = () => `check-${randomUUID()}`;

/** A request as ours look, with what whoever checks has given instead. */
export function bodyFor(
  { order, callbackUrl = NOWHERE }: Context,
  operation: Writing,
): Record<string, unknown> {
  const sample = operation.sample({ callbackUrl, at: new Date() });
  const given = Object.entries(order).filter(([field]) => operation.kind === 'order' || field === 'currency');
  return { ...sample, ...Object.fromEntries(given) };
}

/** The path of a record. */
export const pathOf = ({ path }: { path: string }, ref: string): string =>
  path.replaceAll(/\{\w+\}/g, encodeURIComponent(ref));

export const stateOperations = ({ protocol }: Context): StateOperation[] =>
  protocol.operations.filter((one): one is StateOperation => one.kind === 'state');

/** What tells the state of a record: what its order names, where this run has made it; else the party's first. */
export function stateOperation(context: Context, ref?: string): StateOperation | undefined {
  const named = context.made.find((one) => one.ref === ref)?.operation.state;
  const [first, ...others] = stateOperations(context);
  return others.find(({ name }) => name === named) ?? first;
}

/** The state of a record. @throws Failed where it is no state; Skipped where the party tells none */
export async function stateOf(
  context: Context,
  ref: string,
): Promise<Read & { value: Record<string, unknown> }> {
  const operation = stateOperation(context, ref);
  if (!operation) throw new Skipped('this party keeps no records');
  const reply = await context.ask({ method: 'GET', path: pathOf(operation, ref) });
  if (!isDone(reply)) throw new Failed(`GET ${pathOf(operation, ref)} was answered with ${told(reply)}`);
  const read = readAs(operation.answer, reply.body);
  if (!read.value) throw new Failed(read.problems.join('; '));
  return { ...read, value: read.value };
}

/** @throws Failed where an order was not taken */
export function mustBeDone(reply: Reply): void {
  if (isDone(reply)) return;
  const { means } = meaningOf('POST', reply);
  throw new Failed(`it was answered with ${told(reply)}: for us, "${means}"`);
}

/** The same for what goes by it: that it cannot be read is told by a check of its own. @throws Skipped */
export async function readableState(context: Context, ref: string): Promise<Record<string, unknown>> {
  try {
    return (await stateOf(context, ref)).value;
  } catch (error) {
    if (error instanceof Failed) throw new Skipped('the state of the record cannot be read');
    throw error;
  }
}

/** Looks again and again until it is there. @returns nothing when the time is over */
export async function within<T>(
  patienceMs: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() >= end) return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
