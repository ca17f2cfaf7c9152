import { randomUUID } from 'node:crypto';
import type {
  OrderOperation,
  PartOperation,
  PartyProtocol,
  StateOperation,
} from '../../src/parties/protocol/description';
import { meaningOf } from '../../src/parties/protocol/meanings';
import { type Ask, describeReply, isDone, type Reply } from './caller';
import type { LineMessage, ReceivedRequest } from './listener';
import { Failed, Skipped } from './outcome';
import { type Read, readAs } from './shape';

/** A record that this run has created. */
export interface Made {
  operation: OrderOperation;
  ref: string;
  /** Body of its order. */
  body: Record<string, unknown>;
  /** Version in the state, or in the first answer where it has one. */
  version?: number;
}

/** Shared data of the checks of one run. */
export interface Context {
  protocol: PartyProtocol;
  ask: Ask;
  secret: Buffer;
  /** Milliseconds to wait for changes that the party makes by itself. */
  patienceMs: number;
  /** Address of callbacks. */
  callbackUrl?: string | undefined;
  heard: ReceivedRequest[];
  /** Milliseconds to wait for messages of the party's lines. Absent: nobody awaits them. */
  lineMs?: number | undefined;
  told: readonly LineMessage[];
  /** An existing record of the party, named by the user. */
  record?: string | undefined;
  /** Fields that replace those of the sample. */
  order: Record<string, unknown>;
  made: Made[];
  /** Changes that the party listed before this run. */
  listed: { ref: string }[];
}

type Writing = OrderOperation | PartOperation;

/** An address that nobody listens at. */
const NOWHERE = 'https://callbacks.example/none';

export const newKey = () => `check-${randomUUID()}`;

/** Builds a request like the product's, with the fields that the user has given. */
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

/**
 * Returns the operation that reads a record: the one of its order when this run created the record, else the party's
 * first.
 */
export function stateOperation(context: Context, ref?: string): StateOperation | undefined {
  const named = context.made.find((one) => one.ref === ref)?.operation.state;
  const [first, ...others] = stateOperations(context);
  return others.find(({ name }) => name === named) ?? first;
}

/** Reads the state of a record. @throws Failed when it is no state; Skipped when the party has none */
export async function stateOf(
  context: Context,
  ref: string,
): Promise<Read & { value: Record<string, unknown> }> {
  const operation = stateOperation(context, ref);
  if (!operation) throw new Skipped('this party keeps no records');
  const reply = await context.ask({ method: 'GET', path: pathOf(operation, ref) });
  if (!isDone(reply))
    throw new Failed(`GET ${pathOf(operation, ref)} was answered with ${describeReply(reply)}`);
  const read = readAs(operation.answer, reply.body);
  if (!read.value) throw new Failed(read.problems.join('; '));
  return { ...read, value: read.value };
}

/** @throws Failed when an order was not taken */
export function mustBeDone(reply: Reply): void {
  if (isDone(reply)) return;
  const { means } = meaningOf('POST', reply);
  throw new Failed(`the answer was ${describeReply(reply)}: for us, "${means}"`);
}

/**
 * Reads a state for other checks. An unreadable state skips them, because a check of its own reports it.
 * @throws Skipped
 */
export async function readableState(context: Context, ref: string): Promise<Record<string, unknown>> {
  try {
    return (await stateOf(context, ref)).value;
  } catch (error) {
    if (error instanceof Failed) throw new Skipped('the state of the record cannot be read');
    throw error;
  }
}

/** Polls until the value is there. @returns undefined at the time limit */
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
