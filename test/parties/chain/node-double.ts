import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable, Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import pino from 'pino';
import { NO_OBSERVERS, type PartyCall } from '../../../src/kernel/metrics/observers';
import { createChains } from '../../../src/parties/chain/create';

interface Call {
  id: unknown;
  method: string;
  params: any[];
}

/**
 * What happens to a call. `lost`: the connection ends before the node gets it. `done-and-silent`: the node gets it, and
 * the answer is lost. `half`: the answer stops midway. `endless`: the answer never ends. A result or an error replaces
 * the node's own.
 */
export type Behaviour =
  | 'lost'
  | 'silent'
  | 'half'
  | 'endless'
  | 'done-and-silent'
  | 'html'
  | 'error-500'
  | 'unauthorized-401'
  | 'too-many-429'
  | `http-${number}`
  | `rest-429-${string}`
  | 'reverted-500'
  | 'redirect-307'
  | { result: unknown }
  | { error: unknown }
  | ((call: Call, ask: (call: Partial<Call>) => Promise<any>) => unknown);

/** A JSON-RPC error instead of a result. */
export class NodeError {
  constructor(
    readonly code: number,
    readonly message: string,
  ) {}
}

/** Starts a proxy with faults before a real node. Its address holds credentials in every part that allows them. */
export async function startNodeDouble(target: string) {
  const behaviours = new Map<string, Behaviour>();
  const asked: string[] = [];
  let takesBatches = true;
  let batchOf = (answers: unknown[]) => answers;
  const credentials: (string | undefined)[] = [];

  const ask = async (call: object) => {
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
    });
    return (await response.json()) as any;
  };

  async function answerOf(call: Call) {
    const behaviour = behaviours.get(call.method);
    const base = { jsonrpc: '2.0', id: call.id };
    if (typeof behaviour === 'object') return { ...base, ...behaviour };
    const own = async (changed: Partial<Call>) => (await ask({ ...call, ...changed })).result;
    if (typeof behaviour !== 'function') return ask(call);
    const result = await behaviour(call, own);
    return { ...base, ...(result instanceof NodeError ? { error: { ...result } } : { result }) };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Call | Call[];
    if (Array.isArray(body) && !takesBatches) return void response.end(NO_BATCHES);
    const calls = Array.isArray(body) ? body : [body];
    asked.push(...calls.map(({ method }) => method));
    credentials.push(request.headers.authorization);
    const behaviour = calls.map(({ method }) => behaviours.get(method) ?? behaviours.get('*')).find(Boolean);
    if (behaviour === 'lost') return void response.destroy();
    if (behaviour === 'done-and-silent') for (const call of calls) await ask(call);
    if (typeof behaviour === 'string') return fail(response, behaviour);
    const answers = await Promise.all(calls.map(answerOf));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? batchOf(answers) : answers[0]));
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://boss:pa%24%24word@127.0.0.1:${port}/v2/KEY-0123456789?token=TOKEN-9876`,
    /** Parts of the address that must not be shown. */
    secrets: ['boss', 'pa$$word', 'pa%24%24word', 'KEY-0123456789', 'TOKEN-9876', String(port)],
    asked,
    credentials,
    /** @param method of JSON-RPC; `*`: any method without a behaviour of its own */
    on(method: string, behaviour: Behaviour | undefined) {
      if (behaviour === undefined) behaviours.delete(method);
      else behaviours.set(method, behaviour);
    },
    refuseBatches: () => {
      takesBatches = false;
    },
    changeBatches: (changed: typeof batchOf) => {
      batchOf = changed;
    },
    behaveWell: () => {
      batchOf = (answers) => answers;
      takesBatches = true;
      behaviours.clear();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

export type NodeDouble = Awaited<ReturnType<typeof startNodeDouble>>;

/** An endless stream of spaces, until the reader closes it. */
const spaces = () =>
  new Readable({
    read() {
      this.push(' '.repeat(64 * 1024));
    },
  });

const NO_BATCHES = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}';

function fail(response: ServerResponse, behaviour: Behaviour): void {
  const answers: Record<string, () => void> = {
    endless: () => void pipeline(spaces(), response, () => {}),
    half: () =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",'),
    html: () => void response.end('<html>It works!</html>'),
    'error-500': () => void response.writeHead(500).end('{"message":"sorry"}'),
    'reverted-500': () =>
      void response
        .writeHead(500)
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted"}}'),
    'unauthorized-401': () => void response.writeHead(401).end('bad key KEY-0123456789'),
    'too-many-429': () => void response.writeHead(429).end('slow down'),
    'redirect-307': () => void response.writeHead(307, { location: '/elsewhere' }).end(),
  };
  const status = /^http-(\d+)$/.exec(behaviour as string)?.[1];
  if (status !== undefined) return void response.writeHead(Number(status)).end('sorry');
  const rest = /^rest-429-(.*)$/.exec(behaviour as string)?.[1];
  if (rest !== undefined) return void response.writeHead(429, { 'retry-after': rest }).end('slow down');
  answers[behaviour as string]?.(); // silence sends no answer
}

/** Time-out in milliseconds that a busy machine does not reach. */
const UNHURRIED_MS = 30_000;

/** The chain party with the test's clock and log. */
export function testChains(timeoutMs = UNHURRIED_MS) {
  const lines: string[] = [];
  const calls: PartyCall[] = [];
  const log = pino(
    new Writable({
      write(line, _, done) {
        lines.push(String(line));
        done();
      },
    }),
  );
  let now = Date.parse('2026-01-01T00:00:00Z');
  const observers = { ...NO_OBSERVERS, observePartyCall: (call: PartyCall) => void calls.push(call) };
  const chains = createChains({ log, observers, now: () => new Date(now), timeoutMs });
  return {
    chains,
    lines,
    calls,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
    now: () => new Date(now),
    nodeAt: (chainId: number, ...rpcUrls: string[]) =>
      chains.of({ chain: 'local', kind: 'evm', chainId, rpcUrls }),
  };
}
