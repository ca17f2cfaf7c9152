import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { Keyring } from '../security/keyring';
import { createDataConverter } from './codec';

export interface TemporalOptions {
  /** host:port of the frontend. */
  address: string;
  namespace: string;
  /** Encrypts payloads and failures (`TEMPORAL_ENCRYPTION`). */
  encrypt: boolean;
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

/** gRPC status code. */
const NOT_FOUND = 5;

/** Time-out of a call in milliseconds. The relay repeats its command, because commands are idempotent. */
const CALL_MS = 5_000;
/** Shorter for `/health/ready`, whose caller waits. */
const CALL_MS_BY_METHOD: Record<string, number> = { DescribeNamespace: 2_000 };

/**
 * Creates a client that connects lazily and reconnects by itself. Calls are not retried, because callers choose when to
 * retry and must learn quickly that Temporal is away.
 */
export function createTemporalClient(options: TemporalOptions, keyring: Keyring): TemporalClient {
  const { address, namespace, encrypt } = options;
  const connection = Connection.lazy({
    address,
    interceptors: [withDeadline],
    metadata: { 'temporal-namespace': namespace },
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
  // The SDK would give this header to each call by an AsyncLocalStorage. In Node 20 its first use makes each promise of the process
  // dearer: 4 % of an authorization's processor time.
  connection.withMetadata = (_header, call) => call();
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(keyring, encrypt) });
  const absence = () =>
    connection.workflowService.describeNamespace({ namespace }).then(
      () => undefined,
      (error: { code?: number }) =>
        error.code === NOT_FOUND
          ? `TEMPORAL_NAMESPACE: Temporal at ${address} has no namespace ${namespace}.`
          : `TEMPORAL_ADDRESS: Temporal does not answer at ${address}.`,
    );
  return {
    client,
    namespace,
    isServing: async () => (await absence()) === undefined,
    absence,
    close: () => connection.close(),
  };
}

type CallInterceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** Sets the deadline of each call, so that no caller can forget it. */
const withDeadline: CallInterceptor = (options, nextCall) => {
  const method = options.method_definition.path.split('/').at(-1) ?? '';
  const deadline = Date.now() + (CALL_MS_BY_METHOD[method] ?? CALL_MS);
  return nextCall({ ...options, deadline }) as ReturnType<CallInterceptor>;
};
