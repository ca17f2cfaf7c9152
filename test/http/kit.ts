import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { z } from 'zod';
import { provideForClient } from '../../src/cards/programmes/operations';
import { byClientHeaders, createApp } from '../../src/http/app';
import { Reply, type Route, route } from '../../src/http/route';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { conflict, notFound, precondition } from '../../src/kernel/errors';
import { pageOf, pageQuery, positionOf, positionPart } from '../../src/kernel/wire/pages';
import { amount } from '../../src/kernel/wire/schemas';
import { createAuthenticator } from '../../src/tenants/clients/authenticate';
import { createClient } from '../../src/tenants/clients/create';
import { testDatabase } from '../support/database';
import { testKeyring } from '../support/keyring';
import { startProxy } from './postgres-proxy';

/** The API with a few routes over one table, on a database behind a proxy. */

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: any;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  /** Chunks are sent without a content-length. */
  body?: string | Buffer | Buffer[];
}

const thing = z.object({ id: z.string(), amount: z.string(), state: z.string() });

function routesOn(database: Database): Route[] {
  const find = async (id: string) => {
    const [row] = await database.query<{ id: string; amount: string; state: string; reads: number }>(
      'update things set reads = reads + 1 where id::text = $1 returning id, amount, state, reads',
      [id],
    );
    if (!row) throw notFound('thing');
    return row;
  };
  const add = route({
    method: 'POST',
    path: '/things',
    scope: 'money',
    tag: 'Things',
    summary: 'Add',
    body: z.strictObject({
      amount: amount(),
      note: z.string().max(5).optional(),
      waitSeconds: z.number().optional(),
    }),
    response: thing,
    status: 201,
    settling: {
      // Settled after two reads.
      async read(_, id) {
        const row = await find(id);
        return { id: row.id, amount: row.amount, state: row.reads >= 2 ? 'settled' : 'new' };
      },
      settled: (record: { state: string }) => record.state === 'settled',
    },
    async write(tx, { body }) {
      const [row] = await tx.query<{ id: string }>('insert into things (amount) values ($1) returning id', [
        body.amount.toFixed(),
      ]);
      if (body.amount.gt(1000)) throw new Error(`too much: ${body.amount.toFixed()}`);
      const [limit] = await tx.query<{ most: string }>('select most from limits');
      if (body.amount.gt(limit?.most ?? '0')) throw conflict('insufficient_funds', 'Not enough.', 'amount');
      if (body.note === 'kyc') throw precondition('kyc_not_completed', 'First the KYC.');
      if (body.waitSeconds) await tx.query('select pg_sleep($1)', [body.waitSeconds]);
      return { id: row?.id ?? '', amount: body.amount.toFixed(2), state: 'new' };
    },
  });
  return [
    add,
    route({
      ...add,
      path: '/required',
      idempotency: 'required',
    }),
    route({
      ...add,
      path: '/prepared',
      prepare: () => outside.asked(),
    }),
    route({
      method: 'GET',
      path: '/things',
      tag: 'Things',
      summary: 'List',
      query: z.object(pageQuery),
      async read({ query }) {
        const after = positionOf(query.cursor, z.tuple([positionPart.number()]));
        const rows = await database.query<{ id: string }>(
          'select id::text from things where ($1::int is null or id < $1) order by things.id desc limit $2',
          [after?.[0] ?? null, query.limit + 1],
        );
        return pageOf(
          rows,
          query.limit,
          (row) => [row.id],
          (row) => row,
        );
      },
    }),
    route({
      method: 'GET',
      path: '/things/{id}',
      tag: 'Things',
      summary: 'Read',
      read: ({ params }) => find(params['id'] ?? ''),
    }),
    route({
      method: 'GET',
      path: '/things/{id}/sensitive',
      scope: 'sensitive',
      tag: 'Things',
      summary: 'Reveal',
      read: async () => ({ secret: 'shown' }),
    }),
    route({
      method: 'DELETE',
      path: '/things/{id}',
      scope: 'money',
      tag: 'Things',
      summary: 'Remove',
      status: 204,
      async write(tx, { params }) {
        const rows = await tx.query('delete from things where id::text = $1 returning id', [params['id']]);
        if (rows.length === 0) throw notFound('thing');
      },
    }),
    route({
      method: 'POST',
      path: '/admin/things',
      scope: 'manage',
      tag: 'Things',
      summary: 'For the operator',
      role: 'admin',
      body: z.strictObject({ amount: amount() }),
      write: async () => new Reply(202, { done: true }),
    }),
  ];
}

/** Step that `/prepared` runs before its transaction. */
const outside = { asked: async (): Promise<void> => undefined };

export async function testKit() {
  const test = await testDatabase();
  await test.database.query(
    `create table things (id int generated always as identity primary key, amount numeric, state text default 'new',
                          reads int default 0)`,
  );
  await test.database.query('create table limits as select 100::numeric as most');
  const proxy = await startProxy(test.url);
  const database = createDatabase({ url: proxy.url, poolSize: 24, name: 'kit' });
  const keyring = testKeyring();
  const sensitive = { answered: 0, refused: 0 };
  const app = createApp({
    database,
    observeSensitive: (outcome) => void (sensitive[outcome] += 1),
    routes: routesOn(database),
    authenticate: byClientHeaders(createAuthenticator(database, keyring)),
    log: pino({ level: 'silent' }),
    observe: () => undefined,
  });
  const handle = app.callback();
  const server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    database: test.database,
    proxy,
    outside,
    /** Requests for sensitive data, as they were observed. */
    sensitive,
    async client(role: 'client' | 'admin' = 'client', settings?: object) {
      const made = await test.database.transaction((tx) =>
        createClient(tx, keyring, { provide: provideForClient, name: 'Test', role, sandbox: true }),
      );
      if (settings)
        await test.database.query('update tenants set settings = $2 where id = $1', [
          made.clientId,
          JSON.stringify(settings),
        ]);
      return { 'x-client-id': made.clientId, 'x-client-secret': made.clientSecret };
    },
    call: (path: string, given: RawRequest = {}) => send(port, path, given),
    count: async () =>
      Number((await test.database.query<{ count: string }>('select count(*) from things'))[0]?.count),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
      await proxy.close();
      await test.drop();
    },
  };
}

export type Kit = Awaited<ReturnType<typeof testKit>>;

/** Sends exactly these bytes and headers. The path is not normalised. */
function send(port: number, path: string, given: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', headers = {}, body } = given;
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = incoming.headers['content-type']?.includes('json') && text !== '';
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: json ? JSON.parse(text) : undefined,
        });
        outgoing.destroy();
      });
    });
    // A refusal before the body was sent whole breaks the sending, not the answer.
    outgoing.on('error', (error) => setTimeout(() => reject(error), 500));
    if (Array.isArray(body)) for (const chunk of body) outgoing.write(chunk);
    else if (body !== undefined) outgoing.write(body);
    outgoing.end();
  });
}

/** A POST of JSON with its content-length. */
export function json(body: unknown, headers: Record<string, string>, method = 'POST'): RawRequest {
  const bytes = typeof body === 'string' ? body : JSON.stringify(body);
  const length = String(Buffer.byteLength(bytes));
  return {
    method,
    body: bytes,
    headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
  };
}
