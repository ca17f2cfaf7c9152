import { Client, Connection, type ConnectionOptions, type TLSConfig } from '@temporalio/client';
import type { TemporalAccess } from '../config/temporal-access';
import type { Keyring } from '../security/keyring';
import { isTracing } from '../tracing/trace';
import { createDataConverter, type PayloadSettings } from './codec';
import { tracedCalls } from './traced-client';

export interface TemporalOptions extends PayloadSettings, TemporalAccess {
  /** host:port of the frontend. */
  address: string;
  namespace: string;
}

export interface TemporalClient {
  client: Client;
  namespace: string;
  /** Whether Temporal answers and knows the namespace, for `/health/ready`. Takes at most two seconds. */
  isServing(): Promise<boolean>;
  /** Why Temporal is not serving, in one sentence that names the setting. Undefined when it serves. */
  absence(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** gRPC status codes. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Time-out of a call in milliseconds. The relay repeats its command, because commands are idempotent. */
const CALL_MS = 5_000;
/** Shorter for `/health/ready`, whose caller waits. */
const CALL_MS_BY_METHOD: Record<string, number> = { DescribeNamespace: 2_000 };

/**
 * Creates a client that connects lazily and reconnects by itself. Calls are not retried, because callers choose when to
 * retry and must learn quickly that Temporal is away.
 */
export function createTemporalClient(options: TemporalOptions, keyring: Keyring): TemporalClient {
  const { namespace } = options;
  const connection = Connection.lazy({
    ...reachOf(options),
    interceptors: [withDeadline],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
  // The SDK would give this header to each call by an AsyncLocalStorage. In Node 20 its first use makes each promise of the process
  // dearer: 4 % of an authorization's processor time.
  connection.withMetadata = (_header, call) => call();
  const client = new Client({
    connection,
    namespace,
    dataConverter: createDataConverter(keyring, options),
    ...(isTracing() ? { interceptors: { workflow: [tracedCalls] } } : {}),
  });
  const absence = () =>
    connection.workflowService.describeNamespace({ namespace }).then(
      () => undefined,
      (error: { code?: number; details?: string }) => absenceOf(options, error),
    );
  return {
    client,
    namespace,
    isServing: async () => (await absence()) === undefined,
    absence,
    close: () => connection.close(),
  };
}

/** Address, TLS and credentials, the same for the client and for workers. */
export function reachOf({ address, namespace, tls, apiKey }: TemporalOptions) {
  return {
    address,
    metadata: { 'temporal-namespace': namespace },
    ...(tls ? { tls: tlsConfigOf(tls) } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

const tlsConfigOf = ({
  authority,
  certificate,
  serverName,
}: NonNullable<TemporalAccess['tls']>): TLSConfig => ({
  ...(authority ? { serverRootCACertificate: authority } : {}),
  ...(certificate ? { clientCertPair: { crt: certificate.chain, key: certificate.key } } : {}),
  ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
});

/** Why a call failed, in one sentence that names the setting. */
function absenceOf(
  { address, namespace, tls, apiKey }: TemporalOptions,
  { code, details = '' }: { code?: number; details?: string },
): string {
  if (code === NOT_FOUND) return `TEMPORAL_NAMESPACE: Temporal at ${address} has no namespace ${namespace}.`;
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED) {
    const variable = apiKey === undefined && tls?.certificate ? 'TEMPORAL_TLS_CERT_FILE' : 'TEMPORAL_API_KEY';
    return `${variable}: Temporal at ${address} does not admit this installation to the namespace ${namespace}.`;
  }
  const silence = `TEMPORAL_ADDRESS: Temporal does not answer at ${address}.`;
  const reason = code === UNAVAILABLE ? handshakeFailure(details) : undefined;
  if (reason === CLOSED)
    return tls
      ? `${silence} It may refuse the certificate of TEMPORAL_TLS_CERT_FILE.`
      : `${silence} It may demand TLS (TEMPORAL_TLS).`;
  const variable = tls && reason && TLS_VARIABLES.find(([words]) => words.test(reason))?.[1];
  return variable ? `${variable}: the TLS connection to Temporal at ${address} fails (${reason}).` : silence;
}

/** The server took the connection and closed it. */
const CLOSED = 'Failed to connect';

/** The words of TLS in the details of a call, without the rest. */
function handshakeFailure(details: string): string | undefined {
  const [, told] =
    /Last error: (?:Error(?: \[\w+\])?: )?([^\n]*?)(?: \([\dTZ:.-]+\))?\.?(?:\n| Resolution note|$)/.exec(
      details,
    ) ?? [];
  return told?.replace(/^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*):.*$/, '$1');
}

/** Words of a failed handshake, and the setting that they blame. An alert comes from the server, about our certificate. */
const TLS_VARIABLES: [RegExp, string][] = [
  [/alert|certificate required|handshake failure/i, 'TEMPORAL_TLS_CERT_FILE'],
  [/altnames|hostname|IP: .* is not in the cert/i, 'TEMPORAL_TLS_SERVER_NAME'],
  [/certificate|issuer|self.signed/i, 'TEMPORAL_TLS_CA_FILE'],
  [/wrong version number|packet length too long|EPROTO|SSL/i, 'TEMPORAL_TLS'],
];

type CallInterceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** Sets the deadline of each call, so that no caller can forget it. */
const withDeadline: CallInterceptor = (options, nextCall) => {
  const method = options.method_definition.path.split('/').at(-1) ?? '';
  const deadline = Date.now() + (CALL_MS_BY_METHOD[method] ?? CALL_MS);
  return nextCall({ ...options, deadline }) as ReturnType<CallInterceptor>;
};
