import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartyLine } from '../../src/parties/protocol/description';

/** A request to us, unchanged. */
export interface ReceivedRequest {
  raw: Buffer;
  headers: IncomingHttpHeaders;
  at: Date;
}

/** A message of a line of the party. It expects an answer. */
export interface LineMessage extends ReceivedRequest {
  /** Our answer: 503 at the first attempt, so that the party must send it again. */
  status: 200 | 400 | 503;
}

/** @returns undefined when the body is no JSON */
export function messageIn({ raw }: Pick<ReceivedRequest, 'raw'>): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The party's name for its message. */
export function idOf(one: Pick<ReceivedRequest, 'raw'>): string | undefined {
  const id = (messageIn(one) as { messageId?: unknown } | null | undefined)?.messageId;
  return typeof id === 'string' ? id : undefined;
}

export interface Listener {
  /** Its address from this machine. */
  url: string;
  heard: ReceivedRequest[];
  /** Messages of the party's lines. */
  told: LineMessage[];
  close(): Promise<void>;
}

/** Starts a listener that keeps every request and answers 204. Messages of a line get an answer from its examples. */
export async function startListener(
  port = 0,
  host = '127.0.0.1',
  lines: readonly PartyLine[] = [],
): Promise<Listener> {
  const heard: ReceivedRequest[] = [];
  const told: LineMessage[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { raw: Buffer.concat(chunks), headers: request.headers, at: new Date() };
      const own = lines.filter(({ path }) => path === request.url);
      if (own.length === 0) {
        heard.push(one);
        response.writeHead(204).end();
        return;
      }
      const id = idOf(one);
      const isRepeat = told.some((other) => idOf(other) === id);
      const status = id === undefined ? 400 : isRepeat ? 200 : 503;
      told.push({ ...one, status });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? exampleAnswer(own, one) : { code: 'unavailable' }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    heard,
    told,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the documented example answer to a message of this type. */
function exampleAnswer(lines: readonly PartyLine[], one: ReceivedRequest): object {
  const { type } = messageIn(one) as { type?: unknown };
  const examples = lines.flatMap(({ examples }) => Object.values(examples));
  return examples.find(({ message }) => (message as { type?: unknown }).type === type)?.answer ?? {};
}
