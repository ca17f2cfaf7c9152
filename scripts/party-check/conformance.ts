import type { PartyProtocol } from '../../src/parties/protocol/description';
import { accessChecks, readOf } from './access-checks';
import { callbackChecks } from './callback-checks';
import { createCaller, told } from './caller';
import type { Context } from './context';
import { lineChecks } from './line-checks';
import { listChecks } from './list-checks';
import type { Heard, Told } from './listener';
import { type Check, type CheckResult, Failed, runChecks } from './outcome';
import { questionChecks } from './question-checks';
import { stateChecks } from './state-checks';
import { writeChecks } from './write-checks';

export interface ConformanceOptions {
  protocol: PartyProtocol;
  /** Where the party is, without a trailing slash. */
  baseUrl: string;
  secret: Buffer;
  /** How long we wait for what the party does by itself. */
  patienceMs?: number;
  /** Where the party can call us, and what came there; absent: it cannot. */
  callbacks?: { url: string; heard: Heard[] } | undefined;
  /** For how long messages of the party's lines are awaited, and what came; absent: they are not checked. */
  lines?: { ms: number; told: readonly Told[] } | undefined;
  /** A record at the party that may be changed. */
  record?: string | undefined;
  /** Fields of an order that take the place of the sample's. */
  order?: Record<string, unknown>;
  onResult?: (result: CheckResult) => void;
}

/**
 * Tries whatever the described protocol promises, over HTTP as the product would. It makes records at the party, so it is for
 * test systems.
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
  what: 'somebody answers at the address',
  money: 'Every order waits, held.',
  run: async () => {
    const reply = await context.ask(readOf(context));
    if (reply.status === undefined) throw new Failed(told(reply));
  },
});
