import { type buildConnector, type Dispatcher, Pool } from 'undici';
import { retryAfterMs } from './schedule';
import { envelope, type SigningKeys, signedHeaders } from './signature';

/** One delivery attempt. */
export interface Delivery {
  url: string;
  tenantId: string;
  /** Id of the event. */
  id: string;
  keys: SigningKeys;
  event: string;
  /** Exact text of the envelope's data. */
  data: string;
  idempotencyKey: string | null;
  /** Asked directly before the request is written. False: it must not be sent any more. */
  mayBegin(): boolean;
  /** Trace that caused the event. */
  traceparent?: string | null;
  /** The attempt's own span, which the receiver gets. Absent: no header is sent. */
  sentTraceparent?: string | undefined;
}

export interface Attempt {
  ok: boolean;
  /** 410: the receiver wants no further webhooks. */
  gone: boolean;
  /** When the attempt began. */
  at: Date;
  durationMs: number;
  /** Status of the answer. Absent when none came. */
  status?: number;
  /** Why the attempt failed: `http_500`, `timeout`, `tls_failed` … Never text from the receiver. */
  code: string;
  /** From the receiver's `Retry-After`, 0 when absent. */
  retryAfterMs: number;
}

export interface Poster {
  /**
   * Makes one attempt. Never throws. @param lane owner of the connections, one per endpoint, so that endpoints do not
   * wait for each other
   * @returns undefined when the delivery was not sent, because it might not begin any more
   */
  post(lane: string, delivery: Delivery): Promise<Attempt | undefined>;
  /** Closes a lane's idle connections. */
  forget(lane: string): void;
}

export interface PosterOptions {
  connect: buildConnector.connector;
  /** Milliseconds for the whole attempt. */
  timeoutMs: number;
  /** Connections per lane. */
  connections: number;
}

/** Bytes of an answer that are read. Only its status counts. */
const ANSWER_BYTES = 64 * 1024;
const SWEEP_MS = 100;

interface Connections {
  origin: string;
  pool: Pool;
  /** The connection has carried an answer, so a break may only mean that it was closed as idle. */
  answered: boolean;
}

/** Result of an attempt, without its times. */
type Ended = Omit<Attempt, 'at' | 'durationMs'>;

/** An attempt under way. */
interface Flight {
  at: Date;
  deadline: number;
  /** @param ended undefined: not sent */
  end(ended: Ended | undefined): void;
  expire(): void;
}

interface Sending {
  connections: Connections;
  request: Dispatcher.DispatchOptions;
  flight: Flight;
  mayBegin: Delivery['mayBegin'];
}

export function createPoster(options: PosterOptions): Poster {
  const lanes = createLaneConnections(options);
  const flights = createFlights(options.timeoutMs);
  return {
    post(lane, delivery) {
      return new Promise((resolve) => {
        const url = new URL(delivery.url);
        const connections = lanes.of(lane, url.origin);
        const flight = flights.begin(resolve);
        const request = requestOf(url, delivery, flight.at);
        const { mayBegin } = delivery;
        send({ connections, request, flight, mayBegin }, connections.answered);
      });
    },
    forget: (lane) => lanes.close(lane),
  };
}

/** Connections of each lane to the origin of its present URL. */
function createLaneConnections({ connect, connections }: PosterOptions) {
  const lanes = new Map<string, Connections>();

  function close(lane: string): void {
    lanes
      .get(lane)
      ?.pool.close()
      .catch(() => undefined);
    lanes.delete(lane);
  }

  return {
    close,
    of(lane: string, origin: string): Connections {
      const known = lanes.get(lane);
      if (known?.origin === origin) return known;
      close(lane);
      // The sweep of {@link createFlights} enforces the time-out, so undici's timers are off.
      const pool = new Pool(origin, { connect, connections, headersTimeout: 0, bodyTimeout: 0 });
      const fresh = { origin, pool, answered: false };
      lanes.set(lane, fresh);
      return fresh;
    },
  };
}

/** Tracks attempts under way. One timer expires all attempts whose deadline has passed. */
function createFlights(timeoutMs: number) {
  /** In order of start, which is the order of deadlines. */
  const flights = new Set<Flight>();
  let sweeper: NodeJS.Timeout | undefined;

  function sweep(): void {
    const now = performance.now();
    for (const flight of flights) {
      if (flight.deadline > now) break;
      flight.expire();
    }
    if (flights.size === 0) {
      clearInterval(sweeper);
      sweeper = undefined;
    }
  }

  return {
    begin(resolve: (attempt: Attempt | undefined) => void): Flight {
      const at = new Date();
      const began = performance.now();
      const flight: Flight = {
        at,
        deadline: began + timeoutMs,
        end(ended) {
          flights.delete(flight);
          resolve(ended && { ...ended, at, durationMs: Math.round(performance.now() - began) });
        },
        expire: () => undefined,
      };
      flights.add(flight);
      sweeper ??= setInterval(sweep, SWEEP_MS);
      return flight;
    },
  };
}

function requestOf(url: URL, delivery: Delivery, at: Date): Dispatcher.DispatchOptions {
  const body = envelope(delivery.event, delivery.data);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Cardwright-Webhooks/1',
    'x-client-id': delivery.tenantId,
    ...signedHeaders({ id: delivery.id, body, at }, delivery.keys),
    ...(delivery.sentTraceparent === undefined ? {} : { traceparent: delivery.sentTraceparent }),
    ...(delivery.idempotencyKey === null ? {} : { 'x-idempotency-key': delivery.idempotencyKey }),
  };
  return { method: 'POST', path: url.pathname + url.search, headers, body };
}

/**
 * Sends once. If a reused connection breaks before an answer, it was probably just closed as idle. That is no failure
 * of the receiver, and the attempt continues on a new connection.
 * @param mayReconnect whether a broken connection may have been closed as idle
 */
function send(sending: Sending, mayReconnect: boolean): void {
  const { connections, request, flight, mayBegin } = sending;
  let status = 0;
  let retryAfter: string | undefined;
  let bytes = 0;
  let ended = false;
  let controller: Dispatcher.DispatchController | undefined;
  const finish = (code: string) => {
    if (ended) return;
    ended = true;
    flight.end(status > 0 ? answered(status, retryAfter) : failed(code));
  };
  const abort = (code: string) => {
    finish(code);
    controller?.abort(new Error(code));
  };
  flight.expire = () => abort('timeout');
  connections.pool.dispatch(request, {
    onRequestStart(given) {
      controller = given;
      if (ended) return given.abort(new Error('timeout'));
      if (mayBegin()) return;
      ended = true;
      flight.end(undefined);
      given.abort(new Error('not begun'));
    },
    onResponseStart(_controller, code, headers) {
      if (code < 200) return; // informational
      connections.answered = true;
      status = code;
      retryAfter = [headers['retry-after']].flat()[0];
    },
    onResponseData(_controller, chunk) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) abort('answer_too_long');
    },
    onResponseEnd: () => finish('no_status'),
    onResponseError(_controller, error) {
      const code = codeOf(error);
      if (mayReconnect && !ended && status === 0 && code === 'connection_lost') send(sending, false);
      else finish(code);
    },
  });
}

function answered(status: number, retryAfter: string | undefined): Ended {
  return {
    status,
    ok: status >= 200 && status < 300,
    gone: status === 410,
    code: `http_${status}`,
    retryAfterMs: retryAfterMs(retryAfter, Date.now()),
  };
}

function failed(code: string): Ended {
  return { ok: false, gone: false, code, retryAfterMs: 0 };
}

const CODES: Record<string, string> = {
  ADDRESS_REFUSED: 'address_not_allowed',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ENOTFOUND: 'dns_failed',
  ENODATA: 'dns_failed',
  EPROTO: 'tls_failed',
  UND_ERR_SOCKET: 'connection_lost',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
};

function codeOf(error: Error): string {
  const code = (error as { code?: string }).code ?? '';
  const known = CODES[code];
  if (known) return known;
  if (/^E(SERVFAIL|REFUSED|TIMEOUT|CONNREFUSED|BAD(NAME|RESP)|AI_)/.test(code)) return 'dns_failed';
  if (/SSL|TLS|CERT|SIGN|ISSUER/.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'not_http' : 'connection_lost';
}
