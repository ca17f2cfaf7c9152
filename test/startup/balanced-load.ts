import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credential } from '../support/product';

/**
 * A balancer that polls `/health/ready`, and clients with kept connections. Like TCP balancers, it chooses an API for
 * each new connection. A client stays with an API until its connection ends.
 */

export interface Served {
  status: number;
  headers: IncomingMessage['headers'];
  body: any;
}

export interface BalancedLoad {
  /** Adds an API, which gets requests while it is ready. */
  add(baseUrl: string): void;
  /** Whether the balancer sends requests to this API now. */
  isIn(baseUrl: string): boolean;
  /** All answers in order of arrival. */
  answers: Served[];
  /** Requests without an answer, with their reasons. */
  lost: string[];
  /** Number of repeated requests. Each was repeated before any part of it was read. */
  repeated(): number;
  stop(): Promise<void>;
}

export interface Load {
  path: string;
  credential: Credential;
  body: object;
  lanes: number;
}

/** Interval between two polls of the balancer, and between two requests of a lane, in milliseconds. */
const PROBE_MS = 100;
const PAUSE_MS = 100;

/** Starts lanes that send one request after another, each under its own key. */
export function startBalancedLoad(load: Load): BalancedLoad {
  const ready = new Map<string, boolean>();
  const answers: Served[] = [];
  const lost: string[] = [];
  let repeated = 0;
  let going = true;
  const probing = probe();
  const lanes = Array.from({ length: load.lanes }, lane);

  async function probe(): Promise<void> {
    for (; going; await sleep(PROBE_MS))
      for (const url of ready.keys()) {
        const status = await send(new Agent(), { url, path: '/health/ready' }).then(
          (answer) => answer.status,
          () => 0,
        );
        ready.set(url, status === 200);
      }
  }

  async function lane(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let url: string | undefined;
    for (; going; await sleep(PAUSE_MS)) {
      url ??= choose();
      if (url === undefined) continue;
      const answer = await deliver(agent, url, randomUUID());
      if (answer?.headers.connection !== 'keep-alive') url = undefined;
    }
    agent.destroy();
  }

  function choose(avoided?: string): string | undefined {
    const urls = [...ready].flatMap(([url, isReady]) => (isReady && url !== avoided ? [url] : []));
    return urls[Math.floor(Math.random() * urls.length)];
  }

  /** Sends a request, and repeats it only when HTTP allows that to any client. */
  async function deliver(agent: Agent, url: string, key: string): Promise<Served | undefined> {
    try {
      const answer = await send(agent, { url, ...load, key });
      answers.push(answer);
      return answer;
    } catch (error) {
      const next = error instanceof NotTaken ? choose(url) : undefined;
      if (next === undefined) return void lost.push(`${url}: ${String(error)}`);
      repeated += 1;
      return deliver(agent, next, key);
    }
  }

  return {
    add: (url) => void ready.set(url, false),
    isIn: (url) => ready.get(url) === true,
    answers,
    lost,
    repeated: () => repeated,
    async stop() {
      going = false;
      await Promise.all([probing, ...lanes]);
    },
  };
}

/** No server has begun the request: no connection was made, or an unused kept connection was closed. */
class NotTaken extends Error {}

interface Sending {
  url: string;
  path: string;
  credential?: Credential;
  body?: object;
  key?: string;
}

async function send(agent: Agent, { url, path, credential, body, key }: Sending): Promise<Served> {
  const outgoing = request(url + path, {
    agent,
    method: body ? 'POST' : 'GET',
    headers: {
      ...(credential
        ? { 'x-client-id': credential.clientId, 'x-client-secret': credential.clientSecret }
        : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(key ? { 'x-idempotency-key': key } : {}),
    },
  });
  outgoing.end(body ? JSON.stringify(body) : undefined);
  return answerOf(outgoing);
}

/** @throws NotTaken when HTTP allows another attempt */
export async function answerOf(outgoing: ClientRequest): Promise<Served> {
  const [answer] = (await once(outgoing, 'response').catch((error: NodeJS.ErrnoException) => {
    const isUnusedEnd = outgoing.reusedSocket && error.code === 'ECONNRESET';
    throw error.code === 'ECONNREFUSED' || isUnusedEnd ? new NotTaken(error.message) : error;
  })) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += chunk;
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: text === '' ? {} : JSON.parse(text),
  };
}
