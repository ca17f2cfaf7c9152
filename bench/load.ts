import { connect, type Socket } from 'node:net';
import { SIGNATURE_HEADER, signMessage } from '../src/parties/protocol/signature';
import { answerPlan } from './own-process';

/**
 * A load generator that needs little of the machine that it shares with the measured processes. Each keep-alive
 * connection has one request at a time. Requests are ready bytes, and of answers only status and length are read.
 * `runLoad` runs it as a process. It talks to loopback only.
 */
export interface LoadPlan {
  port: number;
  connections: number;
  seconds: number;
  /** Seconds of warm-up that are not counted. */
  warmUp: number;
  /** Targets, one picked at random for each request. */
  targets: LoadTarget[];
  path: string;
  /** Milliseconds of a connection between an answer and its next request. Default: none. */
  pause?: number;
  /** The load measures refusals too. */
  refusals?: true;
  /** Secret of the card processor in base64: the bodies are its messages, each with names of its own and signed. */
  processor?: string;
}

export interface LoadTarget {
  clientId: string;
  clientSecret: string;
  body: string;
}

export interface LoadResult {
  perSecond: number;
  requests: number;
  /** Number of answers by status. */
  statuses: Record<string, number>;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
  /** Processor time of the generator itself, with its warm-up, in milliseconds. */
  ownMs: number;
}

let sequence = 0;

function requestBytes({ path, processor }: LoadPlan, target: LoadTarget): string {
  sequence += 1;
  if (processor !== undefined) return messageBytes(path, Buffer.from(processor, 'base64'), target);
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `x-client-id: ${target.clientId}\r\nx-client-secret: ${target.clientSecret}\r\n` +
    `x-idempotency-key: bench-${process.pid}-${sequence}\r\ncontent-length: ${target.body.length}\r\n\r\n${target.body}`
  );
}

/** A message has names of its own, which its signature covers. */
function messageBytes(path: string, secret: Buffer, { body }: LoadTarget): string {
  const name = `bench-${process.pid}-${sequence}`;
  const sentAt = new Date();
  const names = { messageId: name, networkReference: name, sentAt: sentAt.toISOString() };
  const message = `${JSON.stringify(names).slice(0, -1)},${body.slice(1)}`;
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `${SIGNATURE_HEADER}: ${signMessage(Buffer.from(message), secret, sentAt)}\r\n` +
    `content-length: ${message.length}\r\n\r\n${message}`
  );
}

/** Calls `answered` with the status of each complete response on the socket. */
function readAnswers(socket: Socket, answered: (status: string) => void): void {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (text.length < end) return;
      const status = text.slice(9, 12);
      text = text.slice(end);
      answered(status);
    }
  });
}

async function drive(plan: LoadPlan): Promise<LoadResult> {
  const before = process.cpuUsage();
  const begin = performance.now() + plan.warmUp * 1000;
  const end = begin + plan.seconds * 1000;
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};

  await Promise.all(
    Array.from({ length: plan.connections }, () => {
      return new Promise<void>((resolve, reject) => {
        const socket = connect(plan.port, '127.0.0.1').setNoDelay(true).once('error', reject);
        let sent = 0;
        const send = () => {
          const target = plan.targets[Math.floor(Math.random() * plan.targets.length)] as LoadTarget;
          sent = performance.now();
          socket.write(requestBytes(plan, target), 'latin1');
        };
        readAnswers(socket, (status) => {
          const now = performance.now();
          if (sent >= begin && now <= end) {
            latencies.push(now - sent);
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
          if (now < end) return plan.pause ? void setTimeout(send, plan.pause) : send();
          socket.end();
          resolve();
        });
        socket.once('connect', send);
      });
    }),
  );
  const { user, system } = process.cpuUsage(before);
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((latencies[Math.floor(latencies.length * share)] ?? 0) * 100) / 100;
  return {
    perSecond: Math.round(latencies.length / plan.seconds),
    requests: latencies.length,
    statuses,
    p50: at(0.5),
    p99: at(0.99),
    max: at(0.999999),
    ownMs: (user + system) / 1000,
  };
}

if (require.main === module) answerPlan(drive);
