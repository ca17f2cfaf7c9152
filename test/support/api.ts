import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { Agent, request as send } from 'undici';
import { ensureDemoBins, provideForClient } from '../../src/cards/programmes/operations';
import { apiRoutes, type Composed, createApi, createServices, stopBesideApi } from '../../src/composition';
import { openApiDocument } from '../../src/http/openapi';
import type { Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import type { NumberedCommand } from '../../src/kernel/outbox/commands';
import type { RateLimiter } from '../../src/kernel/rate-limit';
import type { Keyring } from '../../src/kernel/security/keyring';
import { createLocalSigner } from '../../src/parties/signer/local';
import { keepLimits } from '../../src/process/limits/operations';
import type { Wiring } from '../../src/startup/wiring';
import { createClient } from '../../src/tenants/clients/create';
import { type TestDatabase, testDatabase } from './database';
import { documentedAnswers } from './documented';
import { isTestKeyring, seedKeys, storeTestKeys, type TestKeyring, testKeyring } from './keyring';

export interface Answer<Body = any> {
  status: number;
  headers: Headers;
  body: Body;
  /** The unchanged bytes. */
  text: string;
}

export interface Client {
  clientId: string;
  clientSecret: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface TestApi extends TestDatabase {
  services: Composed;
  url: string;
  /** Commands for Temporal, in order. */
  commands: NumberedCommand[];
  /** Creates a tenant or an admin with its credential. */
  client(role?: 'client' | 'admin'): Promise<Client>;
  /** Calls the API without credentials, or with others. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** Long time limits for answers to card networks, so that a slow machine declines nothing. */
export const UNHURRIED = { answerWithin: { judgeMs: 30_000, keepMs: 30_000 } } satisfies Partial<Wiring>;

/** The sandbox's card processor and reviewer decide in their first answer, unless a magic value delays it. */
export const DECIDED_AT_ONCE = {
  cardProcessorSeconds: 0,
  cardholderReviewSeconds: 0,
} satisfies Partial<Wiring>;

/** High limits, because tests fund their tenants by admins. The limits of sums have tests of their own. */
const WIDE = { tenant: new Decimal('1e12'), installation: new Decimal('1e12') };

export interface TestWiring extends Partial<Wiring> {
  /** The keys of a test's keyring are stored in the database, for commands with its master key. Default: random. */
  keyring?: TestKeyring | Keyring;
  /** Default: the API's own limits of requests. */
  spend?: RateLimiter;
  /** Serves this database, as a second process would, and leaves it there. Default: a database of its own. */
  on?: TestDatabase;
}

/** Starts the real API over real HTTP on its own database, without Temporal. Its commands are collected. */
export async function testApi(
  { on, spend, ...options }: TestWiring = {},
  wrap: (database: Database) => Database = (database) => database,
): Promise<TestApi> {
  const test = on ?? (await testDatabase());
  await test.database.transaction(ensureDemoBins);
  await test.database.transaction((tx) => keepLimits(tx, WIDE, 'installation'));
  const { keyring = testKeyring() } = options;
  if (isTestKeyring(keyring)) await storeTestKeys(test.database, keyring);
  const commands: NumberedCommand[] = [];
  const database = wrap(test.runtime);
  const services = createServices({
    database,
    keyring,
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
    mode: 'sandbox',
    handOver: (batch) => void commands.push(...batch),
    publicUrl: () => url,
    sandboxPartiesUrl: () => url,
    ...UNHURRIED,
    ...options,
    // Signs at once. The tests of the signing process replace it (test/chain/signing).
    parties: { signer: createLocalSigner({ database, ...seedKeys(keyring) }), ...options.parties },
  });
  const handle = createApi(services, { observe: () => undefined, spend }).callback();
  const server = await listen((request, response) => void handle(request, response));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await services.parties.rates.ready();
  const isDocumented = documented(services);
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await request(url, method, path, body, headers);
    const contentType = answer.headers.get('content-type') ?? '';
    // A repeated answer has the bytes of an answer that was compared before.
    if (answer.headers.get('x-idempotent-replayed') !== 'true')
      isDocumented({ method, path, status: answer.status, contentType, text: answer.text });
    return answer;
  };
  return {
    ...test,
    services,
    url,
    commands,
    call,
    async client(role = 'client') {
      const credential = await test.database.transaction((tx) =>
        createClient(tx, services.keyring, { provide: provideForClient, name: 'Test', role, sandbox: true }),
      );
      const own = { 'x-client-id': credential.clientId, 'x-client-secret': credential.clientSecret };
      return {
        ...credential,
        call: (method, path, body, headers) => call(method, path, body, { ...own, ...headers }),
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stopBesideApi(services);
      if (!on) await test.drop();
    },
  };
}

let check: ReturnType<typeof documentedAnswers> | undefined;

/** Compares every answer of a test with the OpenAPI document. All tests share one document, so it is created once. */
const documented = (services: Composed) =>
  (check ??= documentedAnswers(openApiDocument(apiRoutes(services))));

async function listen(handler: RequestListener): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Without fetch, whose streams cost as much processor time as many a request. */
const connections = new Agent();

async function request(
  base: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const sent =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
  const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await send(base + path, {
    method,
    headers: { ...type, ...headers },
    body: sent ?? null,
    dispatcher: connections,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: headersOf(answer.headers), text, body: parsed(text) };
}

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
