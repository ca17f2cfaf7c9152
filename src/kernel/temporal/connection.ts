import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import type { Keyring } from '../security/keyring';
import { createDataConverter } from './codec';

export interface TemporalOptions {
  /** host:port of the front end. */
  address: string;
  namespace: string;
  /** Encrypt payloads and failures (`TEMPORAL_ENCRYPTION`). */
  encrypt: boolean;
}

export interface TemporalClient {
  client: Client;
  namespace: string;
  /** Whether Temporal answers now and knows the namespace: for `/health/ready`. Takes two seconds at most. */
  isServing(): Promise<boolean>;
  /** Why it is not, in one sentence that names the setting; nothing where it is. */
  absence(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Of gRPC. */
const NOT_FOUND = 5;

/** Milliseconds until a call is given up. The relay sends its command again, and commands are idempotent. */
const CALL_MS = 5_000;
/** Shorter for the call of `/health/ready`, because its caller waits. */
const CALL_MS_BY_METHOD: Record<string, number> = { DescribeNamespace: 2_000 };

/**
 * A client that need not find Temporal when it is made, and finds it again whenever it is back. It does not repeat
 * calls by itself: those who call know better when, and must learn soon that Temporal is away.
 */
export function createTemporalClient(options: TemporalOptions, keyring: Keyring): TemporalClient {
  const { address, namespace, encrypt } = options;
  const connection = Connection.lazy({
    address,
    interceptors: [withDeadline],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.min_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
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

/** Gives each call its deadline, so that no caller can forget it. */
const withDeadline: CallInterceptor = (options, nextCall) => {
  const method = options.method_definition.path.split('/').at(-1) ?? '';
  const deadline = Date.now() + (CALL_MS_BY_METHOD[method] ?? CALL_MS);
  return nextCall({ ...options, deadline }) as ReturnType<CallInterceptor>;
};
