import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { StartupError } from '../kernel/startup-error';

const CONNECT_MS = 5_000;
const AGAIN_MS = 500;
/** Longest wait for a server that reports that it is starting. */
const STARTING_MS = 60_000;

/** `the_database_system_is_starting_up`, `too_many_connections` */
const PASSING = new Set(['57P03', '53300']);

/**
 * Checked before anything slow is started. @throws StartupError in one sentence that names the variable, without its secrets
 */
export async function assertDatabase(variable: string, url: string): Promise<void> {
  for (const end = performance.now() + STARTING_MS; ; await sleep(AGAIN_MS)) {
    const error = await connectTo(url);
    if (!error) return;
    if (PASSING.has(error.code ?? '') && performance.now() < end) continue;
    throw new StartupError(`${variable}: Postgres ${placeOf(url)} cannot be reached: ${reasonOf(error)}.`);
  }
}

/** @returns the error, undefined after a successful connection */
async function connectTo(url: string): Promise<NodeJS.ErrnoException | undefined> {
  let client: Client | undefined;
  try {
    client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => undefined);
    await client.connect();
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    await client?.end().catch(() => undefined);
  }
}

function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `at ${parsed.host}${parsed.pathname}` : 'of this address';
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host cannot be resolved at present',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closes the connection',
  ERR_INVALID_URL: 'the address is not valid',
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user',
  '3D000': 'it has no such database',
  '57P03': 'it has been starting for a minute',
  '53300': 'it has no connection to spare',
};

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const known = REASONS[code ?? ''];
  if (known !== undefined) return known;
  if (/timeout/i.test(message)) return 'it does not answer';
  return /terminated/i.test(message)
    ? 'the server there is not Postgres'
    : `it answers ${code ?? 'with an unknown error'}`;
}
