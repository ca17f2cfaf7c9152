import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpPayouts } from '../../../src/parties/payouts/http';
import type { PayoutWord } from '../../../src/parties/payouts/word';
import { SIGNATURE_HEADER, signMessage } from '../../../src/parties/protocol/signature';
import type { TestApi } from '../../support/api';

/** A fault of a request. `lost`: the request does not arrive. `done-and-…`: the work is done before the fault. */
export type Fault =
  | 'lost'
  | 'unavailable'
  | 'error-500'
  | 'rubbish'
  | 'refused-422'
  /** Another request with this key is in progress. */
  | 'in-progress-409'
  /** The address is wrong, or a proxy answers. */
  | 'not-found-404'
  | 'slow'
  /** The answer is outdated when it arrives. */
  | 'stale'
  | 'done-and-error-500'
  | 'done-and-silent'
  | 'done-and-broken-off';

export interface DoublePayout {
  key: string;
  status: PayoutWord['status'];
  failureCode?: string | undefined;
  /** Amount of a single return. Default with `returned`: the whole amount. */
  returned?: string | undefined;
  /** Returns in parts, by name. */
  returns?: Record<string, string> | undefined;
  /** Increases with each change. */
  version: number;
  /** The order's body, destination included. */
  order: Record<string, unknown>;
}

export type SetPayout = Pick<DoublePayout, 'status' | 'failureCode' | 'returned' | 'returns'>;

const SECRET = Buffer.alloc(32, 7);
/** Faults that still have an answer. */
const MILD: readonly Fault[] = ['slow', 'stale'];

/** Time-out of the adapter. */
const TIMEOUT_MS = 400;

export interface PartyDouble {
  /** The payments that were made. A second payment of a key would be another element. */
  payments: DoublePayout[];
  /** Faults of the next orders and of the next questions, one each. */
  orders: Fault[];
  questions: Fault[];
  /** Number of received requests, with or without a fault. */
  asked: number;
  /** First status of new orders. */
  begins: PayoutWord['status'];
  payment(payoutId: string): DoublePayout;
  /** Whether words have a version. Default: true. */
  counts: boolean;
  /** Sets the state of a payout at the party. */
  set(payoutId: string, state: SetPayout): void;
  /** Sends a callback to the API. @returns the status of the answer */
  tell(api: TestApi, payoutId: string, options?: CallbackOptions): Promise<number>;
  close(): Promise<void>;
}

export interface CallbackOptions {
  /** The party's id of the callback. */
  id?: string;
  /** Signed with another secret. */
  forged?: boolean;
  /** Time of the signature. */
  at?: Date;
  /** Changes the bytes after they were signed. */
  tampered?: boolean;
  path?: string;
}

/** A payouts party over HTTP, with faults on demand. The API uses its real adapter. */
export async function partyDouble(api: TestApi): Promise<PartyDouble> {
  const double = emptyDouble();
  const server = createServer((request, response) => {
    void serve(double, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api.services.parties.payouts = createHttpPayouts({ baseUrl, secret: SECRET, timeoutMs: TIMEOUT_MS });
  double.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return double;
}

const keyOf = (payoutId: string) => (payoutId.startsWith('ibp_') ? payoutId : `payout-${payoutId}`);

/** Number of callbacks of all doubles, so that their ids are unique. */
let messages = 0;

function emptyDouble(): PartyDouble {
  return {
    payments: [],
    orders: [],
    questions: [],
    asked: 0,
    begins: 'processing',
    counts: true,
    payment(payoutId) {
      const found = this.payments.find(({ key }) => key === keyOf(payoutId));
      if (!found) throw new Error(`the party has no ${payoutId}`);
      return found;
    },
    set(payoutId, state) {
      const payment = this.payment(payoutId);
      const cleared = { failureCode: undefined, returned: undefined, returns: undefined };
      Object.assign(payment, cleared, state, { version: payment.version + 1 });
    },
    async tell(api, payoutId, { id, forged, at = new Date(), tampered, path = '/callbacks/payouts' } = {}) {
      messages += 1;
      const body = { id: id ?? `message-${messages}`, key: keyOf(payoutId) };
      const raw = Buffer.from(JSON.stringify(body));
      const signature = signMessage(raw, forged ? Buffer.alloc(32, 8) : SECRET, at);
      const sent = tampered ? JSON.stringify({ ...body, id: 'another' }) : raw.toString();
      const headers = { [SIGNATURE_HEADER]: signature };
      return (await api.call('POST', path, sent, headers)).status;
    },
    close: () => Promise.resolve(),
  };
}

async function serve(double: PartyDouble, request: IncomingMessage, response: ServerResponse): Promise<void> {
  double.asked += 1;
  const isOrder = request.method === 'POST';
  const body = await bodyOf(request);
  const fault = (isOrder ? double.orders : double.questions).shift();
  if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS / 2));
  if (fault === undefined || MILD.includes(fault) || fault.startsWith('done-and-')) {
    const answer = isOrder ? take(double, request, body) : find(double, request);
    if (fault === 'stale') await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS / 2));
    if (fault === undefined || MILD.includes(fault)) return send(response, ...answer);
  }
  return fail(response, fault);
}

function take(double: PartyDouble, request: IncomingMessage, body: string): [number, object] {
  const key = String(request.headers['idempotency-key']);
  const known = double.payments.find((payment) => payment.key === key);
  const payment = known ?? {
    key,
    status: double.begins,
    version: 1,
    order: JSON.parse(body) as Record<string, unknown>,
  };
  if (!known) double.payments.push(payment);
  return [201, told(double, payment)];
}

function find(double: PartyDouble, request: IncomingMessage): [number, object] {
  const key = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
  const payment = double.payments.find((each) => each.key === key);
  return payment ? [200, told(double, payment)] : [404, { code: 'not_found', message: 'not found' }];
}

/** The party's whole word. */
function told({ counts }: PartyDouble, payment: DoublePayout) {
  const { key, status, failureCode, returned, returns, version, order } = payment;
  const amount = String(order['amount']);
  const hasLeft = ['sent', 'completed', 'returned'].includes(status);
  const back = returned ?? (status === 'returned' && !returns ? amount : undefined);
  const parts = returns ?? (back === undefined ? {} : { [`return-${key}`]: back });
  return {
    key,
    status,
    failureCode,
    ...(counts ? { version } : {}),
    sent: hasLeft ? amount : '0',
    returns: Object.entries(parts).map(([id, each]) => ({ id, amount: each })),
  };
}

function fail(response: ServerResponse, fault: Fault): void {
  switch (fault) {
    case 'unavailable':
      return send(response, 503, { code: 'unavailable', message: 'unavailable' });
    case 'in-progress-409':
      return send(response, 409, { code: 'idempotency_in_progress', message: 'in progress' });
    case 'not-found-404':
      return send(response, 404, { code: 'not_found', message: 'not found' });
    case 'refused-422':
      return send(response, 422, { code: 'beneficiary_refused', message: 'refused' });
    case 'rubbish':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return;
    case 'lost':
    case 'done-and-silent':
      return; // until the caller's time-out
    case 'done-and-broken-off':
      response.destroy();
      return;
    default:
      response.writeHead(500).end('oops');
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
