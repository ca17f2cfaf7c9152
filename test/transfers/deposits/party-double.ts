import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';

/** A session of the double. Amounts are decimal strings. */
export interface Session {
  sessionId: string;
  /** The order's body. */
  asked: Record<string, unknown>;
  status: 'open' | 'paid' | 'settled' | 'failed' | 'cancelled' | 'expired';
  paid?: { amount: string; currency: string };
  risk: 'normal' | 'review';
  failureCode?: string;
  /** Payments beside the one of `status` and `paid`. */
  others: { id: string; amount: string; currency?: string; status: 'pending' | 'settled' | 'failed' }[];
  refunds: {
    id: string;
    key?: string;
    amount: string;
    currency?: string;
    status: 'pending' | 'succeeded' | 'failed';
  }[];
  disputes: { id: string; amount: string; currency?: string; status: 'open' | 'won' | 'lost' }[];
  /** Version of the word. Only some tests set it. */
  version?: number;
}

/** A fault of a request. `after`: the work is done and the answer lost. `slow`: the answer comes after the time-out. */
export type Fault = 'away' | '500' | 'after' | 'slow' | 'refuse';

export interface CheckoutDouble {
  url: string;
  secret: Buffer;
  /** Received requests, such as `POST /sessions`. */
  requests: string[];
  /** Faults of the next requests, one each. */
  faults: Fault[];
  session(depositId: string): Session;
  sessions(): Session[];
  /** Creates a session without an order of ours. @returns its name */
  foreign(currency: string): string;
  forget(sessionId: string): void;
  /** Restores an earlier session. @param key the key of its order */
  remember(key: string, session: Session): void;
  /** First status of requested refunds. */
  refundsBegin: 'pending' | 'succeeded' | 'failed';
  /** Sends a signed callback of a session. @returns the status of the answer */
  tell(apiUrl: string, sessionId: string, as?: { id?: string; secret?: Buffer; at?: Date }): Promise<number>;
  close(): Promise<void>;
}

/** The party's whole word on a session. */
export function wordOf(session: Session) {
  const { sessionId, asked, status, paid, others, risk, failureCode, refunds, disputes, version } = session;
  const currency = String(paid?.currency ?? asked['currency']);
  const made = status === 'settled' ? 'settled' : status === 'paid' ? 'pending' : 'failed';
  const first = paid ? [{ id: `pay-${sessionId}`, ...paid, status: made }] : [];
  return {
    sessionId,
    key: asked['depositId'] ?? null,
    risk,
    failureCode,
    version,
    page: status === 'settled' ? 'paid' : status,
    payments: [...first, ...others.map((payment) => ({ currency, ...payment }))],
    refunds: refunds.map((refund) => ({ currency, ...refund })),
    disputes: disputes.map((dispute) => ({ currency, ...dispute })),
  };
}

/** The list of changes. A session is listed again when its word has changed. */
function changeList(sessions: () => Session[]) {
  const listed = new Map<string, string>();
  const rows: { id: string; ref: string; version?: number | undefined }[] = [];
  return (after: string | null): object => {
    for (const session of sessions()) {
      const [{ sessionId: ref, version }, word] = [session, JSON.stringify(wordOf(session))];
      if (listed.get(ref) === word) continue;
      listed.set(ref, word);
      rows.push({ id: `change-${rows.length + 1}`, ref, version });
    }
    return { changes: rows.slice(Number(after ?? 0)), next: String(rows.length), more: false };
  };
}

/** Longer than the time-out that a test sets. */
const SLOW_MS = 900;

/** A checkout party of our protocol over HTTP, with faults on demand. */
export async function startCheckoutDouble(): Promise<CheckoutDouble> {
  const byKey = new Map<string, Session>();
  const refundKeys = new Map<string, Session['refunds'][number]>();
  const requests: string[] = [];
  const changes = changeList(() => [...byKey.values()]);

  function work(
    method: string,
    path: string,
    key: string,
    body: Record<string, unknown>,
  ): object | undefined {
    if (method === 'POST' && path === '/sessions') {
      const made = byKey.get(key) ?? {
        sessionId: `cs_${randomUUID()}`,
        asked: body,
        status: 'open',
        risk: 'normal',
        others: [],
        refunds: [],
        disputes: [],
      };
      byKey.set(key, made);
      return { sessionId: made.sessionId, redirectUrl: `https://pay.example/${made.sessionId}` };
    }
    const { pathname, searchParams } = new URL(path, 'http://party');
    if (method === 'GET' && pathname === '/changes') return changes(searchParams.get('after'));
    const [, , sessionId, refunds] = pathname.split('/');
    const session = [...byKey.values()].find((each) => each.sessionId === sessionId);
    if (!session) return undefined;
    if (method === 'GET') return wordOf(session);
    if (refunds !== 'refunds') return undefined;
    const refund = refundKeys.get(key) ?? {
      id: `re_${randomUUID()}`,
      key,
      amount: String(body['amount']),
      currency: String(body['currency']),
      status: double.refundsBegin,
    };
    if (!refundKeys.has(key)) session.refunds.push(refund);
    refundKeys.set(key, refund);
    return { refundId: refund.id, status: refund.status };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const [method, path] = [request.method ?? '', request.url ?? ''];
    requests.push(`${method} ${path.replace(/cs_[^/]+/, '{id}')}`);
    const fault = double.faults.shift();
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (fault === 'away') return void request.socket.destroy();
    if (fault === '500') return void response.writeHead(500).end('oops');
    if (fault === 'refuse') return void send(422, { code: 'not_allowed', message: 'no' });
    const answer = work(method, path, String(request.headers['idempotency-key']), JSON.parse(text || '{}'));
    if (fault === 'after') return void request.socket.destroy();
    if (fault === 'slow') await sleep(SLOW_MS);
    send(answer ? 200 : 404, answer ?? { code: 'not_found', message: 'not found' });
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const double: CheckoutDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret: randomBytes(32),
    requests,
    faults: [],
    refundsBegin: 'succeeded',
    session(depositId) {
      const session = byKey.get(depositId);
      if (!session) throw new Error(`${depositId} has no session`);
      return session;
    },
    sessions: () => [...byKey.values()],
    forget(sessionId) {
      for (const [key, session] of byKey) if (session.sessionId === sessionId) byKey.delete(key);
    },
    remember(key, session) {
      byKey.set(key, session);
      for (const refund of session.refunds) if (refund.key !== undefined) refundKeys.set(refund.key, refund);
    },
    foreign(currency) {
      const { sessionId } = work('POST', '/sessions', randomUUID(), { amount: '12.34', currency }) as {
        sessionId: string;
      };
      return sessionId;
    },
    async tell(apiUrl, sessionId, { id = randomUUID(), secret = double.secret, at = new Date() } = {}) {
      const raw = Buffer.from(JSON.stringify({ id, sessionId }));
      const answer = await fetch(`${apiUrl}/callbacks/checkout`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [SIGNATURE_HEADER]: signMessage(raw, secret, at) },
        body: raw,
      });
      await answer.text();
      return answer.status;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
}
