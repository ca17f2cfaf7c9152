import type { PartyProtocol } from '../../src/parties/protocol/description';
import { accessChecks, readOf } from './access-checks';
import { callbackChecks } from './callback-checks';
import { createCaller, describeReply } from './caller';
import type { Context } from './context';
import { lineChecks } from './line-checks';
import { listChecks } from './list-checks';
import type { LineMessage, ReceivedRequest } from './listener';
import { type Check, type CheckResult, Failed, runChecks } from './outcome';
import { questionChecks } from './question-checks';
import { stateChecks } from './state-checks';
import { writeChecks } from './write-checks';

export interface ConformanceOptions {
  protocol: PartyProtocol;
  /** Address of the party, without a trailing slash. */
  baseUrl: string;
  secret: Buffer;
  /** Milliseconds to wait for changes that the party makes by itself. */
  patienceMs?: number;
  /** The address of callbacks, and the received ones. Absent: the party cannot call us. */
  callbacks?: { url: string; heard: ReceivedRequest[] } | undefined;
  /** Milliseconds to wait for messages of the party's lines, and the received ones. Absent: lines are not checked. */
  lines?: { ms: number; told: readonly LineMessage[] } | undefined;
  /** An existing record of the party that may be changed. */
  record?: string | undefined;
  /** Fields of an order that replace those of the sample. */
  order?: Record<string, unknown>;
  onResult?: (result: CheckResult) => void;
}

/**
 * Checks the described protocol over HTTP as the product would. Creates records at the party, so it is for test
 * systems.
 */
export async function checkParty(options: ConformanceOptions): Promise<CheckResult[]> {
  const context = contextOf(options);
  const { onResult = () => undefined } = options;
  const reached = await runChecks([reachable(context)], onResult);
  if (reached.some(({ outcome }) => outcome === 'FAILED')) return reached;
  const list = listChecks(context);
  const writing = context.protocol.operations.filter((one) => one.method === 'POST');
  const checks = [
    ...accessChecks(context),
    ...questionChecks(context),
    ...list.before,
    ...writing.flatMap((operation) => writeChecks(context, operation)),
    ...stateChecks(context),
    ...list.after,
    ...callbackChecks(context),
    ...lineChecks(context),
  ];
  return [...reached, ...(await runChecks(checks, onResult))];
}

function contextOf(options: ConformanceOptions): Context {
  const { protocol, baseUrl, secret, patienceMs = 10_000, callbacks, lines, record, order = {} } = options;
  const ask = createCaller(baseUrl, secret);
  const heard = callbacks?.heard ?? [];
  return {
    protocol,
    ask,
    secret,
    patienceMs,
    callbackUrl: callbacks?.url,
    heard,
    lineMs: lines?.ms,
    told: lines?.told ?? [],
    record,
    order,
    made: [],
    listed: [],
  };
}

const reachable = (context: Context): Check => ({
  name: 'reachable',
  what: 'the party answers at the address',
  money: 'Every order waits, and its money stays held.',
  run: async () => {
    const reply = await context.ask(readOf(context));
    if (reply.status === undefined) throw new Failed(describeReply(reply));
  },
});
