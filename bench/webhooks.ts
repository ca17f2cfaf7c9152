import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { Pool } from 'undici';
import type { Composed } from '../src/composition';
import { newId } from '../src/kernel/ids';
import { appendEvents, SHARDS } from '../src/kernel/outbox/events';
import { openServices, tenantWithCards } from './fixtures';
import { openBench, startBenchTemporal, startRole } from './servers';

const ENDPOINTS = 20;
const BACKLOG = 10_000;
const STEADY = 40_000;
const BARE_SECONDS = 5;

/**
 * Measures deliveries per second of one worker process through the real path (event row, dispatcher, HTTP, record). A
 * bare undici POST loop to the same receiver is measured in the same run.
 */
export async function benchWebhooks(): Promise<void> {
  const bench = await openBench();
  const temporal = await startBenchTemporal(bench);
  const receiver = await startReceiver();
  try {
    const bare = await bareLoop(receiver.port);
    const services = await openServices(bench);
    const tenants = await endpoints(services, receiver.port);
    const client = new TemporalClient({
      connection: await Connection.connect({ address: temporal.address }),
    });
    const worker = await startRole(bench, 'worker', {
      TEMPORAL_ADDRESS: temporal.address,
      LOG_LEVEL: 'warn',
    });
    await sleep(5_000); // until all sixteen dispatchers work
    const backlog = await deliver(services, receiver, tenants, BACKLOG);
    const before = await historyEvents(client);
    const steady = await deliver(services, receiver, tenants, STEADY);
    const events = (await historyEvents(client)) - before;
    console.table([
      { what: 'bare undici POST loop', 'per second': bare, ratio: '' },
      {
        what: `a backlog of ${BACKLOG} at once, drained in ${backlog.seconds.toFixed(2)} s`,
        'per second': backlog.perSecond,
        ratio: (backlog.perSecond / bare).toFixed(2),
      },
      {
        what: `${STEADY} events, drained in ${steady.seconds.toFixed(2)} s`,
        'per second': steady.perSecond,
        ratio: (steady.perSecond / bare).toFixed(2),
      },
    ]);
    console.log(`Temporal history events a delivery: ${(events / STEADY).toFixed(4)}`);
    const [left] = await services.database.query<{ count: string }>(
      `select count(*) from events where registration = 'card' and delivery <> 'delivered'`,
    );
    console.log(`Not recorded as delivered: ${left?.count}`);
    await worker.stop();
    await services.database.close();
    await client.connection.close();
  } finally {
    receiver.process.kill();
    await bench.close();
  }
}

interface Receiver {
  process: ChildProcess;
  port: number;
  received(): Promise<number>;
}

async function startReceiver(): Promise<Receiver> {
  const child = fork(join(__dirname, 'receiver.ts'), { execArgv: ['--require', './scripts/typescript.cjs'] });
  const next = <T>() =>
    new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T)));
  const { port } = await next<{ port: number }>();
  return {
    process: child,
    port,
    async received() {
      const answer = next<{ received: number }>();
      child.send('count');
      return (await answer).received;
    },
  };
}

async function bareLoop(port: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, pipelining: 1 });
  const body = JSON.stringify({ event: 'card_transaction', data: exampleData(newId('cardTransaction')) });
  const end = performance.now() + BARE_SECONDS * 1000;
  let sent = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (performance.now() < end) {
        const answer = await pool.request({
          method: 'POST',
          path: '/',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.body.dump();
        sent += 1;
      }
    }),
  );
  await pool.close();
  return Math.round(sent / BARE_SECONDS);
}

async function endpoints(services: Composed, port: number): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) {
    const { clientId } = await tenantWithCards(services, 0);
    await services.database.query(
      `insert into webhook_endpoints (tenant_id, registration, url) values ($1, 'card', $2)`,
      [clientId, `http://127.0.0.1:${port}/webhooks`],
    );
    ids.push(clientId);
  }
  return ids;
}

/** Commits this number of due events at once, and waits until the receiver has them. */
async function deliver(services: Composed, receiver: Receiver, tenants: string[], count: number) {
  const had = await receiver.received();
  await services.database.transaction(async (tx) => {
    for (let done = 0; done < count; done += 1_000) {
      await appendEvents(
        tx,
        Array.from({ length: 1_000 }, (_, index) => {
          const id = newId('cardTransaction');
          const tenantId = tenants[index % tenants.length] as string;
          return {
            tenantId,
            registration: 'card' as const,
            event: 'card_transaction',
            data: exampleData(id),
            at: new Date(),
          };
        }),
      );
    }
  });
  const began = performance.now();
  while ((await receiver.received()) < had + count) await sleep(20);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, perSecond: Math.round(count / seconds) };
}

function exampleData(id: string) {
  return {
    id,
    cardId: newId('card'),
    transactionAmount: '12.34',
    transactionCurrency: 'USD',
    billingAmount: '12.34',
    billingCurrency: 'USD',
    type: 'authorization',
    referenceId: newId('reference'),
    timestamp: new Date().toISOString(),
  };
}

async function historyEvents(client: TemporalClient): Promise<number> {
  let sum = 0;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const { historyLength } = await client.workflow.getHandle(`webhook-dispatcher-${shard}`).describe();
    sum += historyLength;
  }
  return sum;
}
