import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { type Cardwright, cardwright } from '../client/src';
import type { Composed } from '../src/composition';
import { Decimal } from '../src/kernel/money/money';
import { type BenchTenant, openServices, tenantWithCards } from './fixtures';
import { processorTime } from './processor-time';
import { openBench, portOf, startBenchTemporal, startRole } from './servers';

/** Number of concurrent requests. */
const CALLERS = 8;
/** Time limit of the bench, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;
const DESTINATION = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

export type Kind = 'deposit' | 'payout';

/** One API and one worker process with the sandbox's parties, and a tenant with money. */
export interface World {
  /** Processor time so far of each process, in milliseconds. */
  processes: Record<string, () => number>;
  services: Composed;
  temporal: TemporalClient;
  caller: Cardwright;
  tenant: BenchTenant;
}

/**
 * @param options `signs`: with a signing process; `partiesUrl` returns the address of the parties, given the API's address; the API
 *   itself when absent
 */
export async function withInstallation(
  {
    partiesUrl = async (base) => base,
    signs = false,
  }: { partiesUrl?: (base: string) => Promise<string>; signs?: boolean },
  work: (world: World) => Promise<void>,
): Promise<void> {
  const bench = await openBench();
  const temporal = await startBenchTemporal(bench);
  try {
    const services = await openServices(bench);
    const tenant = await tenantWithCards(services, 0);
    const base = `http://127.0.0.1:${portOf('api')}`;
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      LOG_LEVEL: 'warn',
      PUBLIC_URL: base,
      SANDBOX_PARTIES_URL: await partiesUrl(base),
    };
    const api = await startRole(bench, 'api', environment);
    const worker = await startRole(bench, 'worker', environment);
    const signer = signs ? await startRole(bench, 'signer', environment) : undefined;
    if (signer) await untilSeed(services);
    const connection = await Connection.connect({ address: temporal.address });
    const caller = cardwright({ baseUrl: base, ...tenant });
    const processes = {
      API: () => processorTime(api.pid),
      worker: () => processorTime(worker.pid),
      ...(signer ? { signer: () => processorTime(signer.pid) } : {}),
      Postgres: () => processorTime(bench.postgresPid()),
      Temporal: () => processorTime(temporal.pid()),
    };
    const client = new TemporalClient({ connection });
    await work({ processes, services, temporal: client, caller, tenant });
    await connection.close();
    await worker.stop();
    await signer?.stop();
    await api.stop();
    await services.database.close();
  } finally {
    await bench.close();
  }
}

/** The signing process makes the seed at its first start. */
async function untilSeed({ database }: Composed): Promise<void> {
  while ((await database.query('select 1 from wallet_seeds')).length === 0) await sleep(50);
}

export interface Created {
  id: string;
  /** Duration of the creation in milliseconds, without the quote. */
  ms: number;
}

export async function inParallel<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let begun = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (begun < count) {
        begun += 1;
        results.push(await work());
      }
    }),
  );
  return results;
}

export async function accountOf({ caller }: World): Promise<string> {
  const [account] = (await caller.listAccounts({ query: { currency: 'USD' } })).data;
  if (!account) throw new Error('the tenant has no USD account');
  return account.id;
}

export async function createDeposit(caller: Cardwright, accountId: string, amount: string): Promise<Created> {
  const path = { accountId };
  const { quoteId } = await caller.quoteDeposit({ path, body: { method: 'card', amount, currency: 'USD' } });
  const body = { quoteId, returnUrl: 'https://shop.example/back' };
  return timed(() => caller.createDeposit({ path, body }));
}

export async function createPayout(
  caller: Cardwright,
  accountId: string,
  amount = '20.00',
): Promise<Created> {
  const path = { accountId };
  const { quoteId } = await caller.quotePayout({ path, body: { method: 'sepa', amount } });
  return timed(() => caller.createPayout({ path, body: { quoteId, destination: DESTINATION } }));
}

/** Returns the debit of a payout for a received amount, because the sandbox's party goes by the received amount. */
export async function amountFor(caller: Cardwright, accountId: string, received: string): Promise<string> {
  const body = { method: 'sepa', amount: '20.00' } as const;
  const { rate } = await caller.quotePayout({ path: { accountId }, body });
  return new Decimal(received).dividedBy(rate).toFixed(2, Decimal.ROUND_UP);
}

export async function createTopup(caller: Cardwright, id: string): Promise<Created> {
  const body = { amount: '20.00', paymentMethodToken: 'tok_visa' };
  return timed(() => caller.topUpAccount({ path: { id }, body }));
}

async function timed(create: () => Promise<{ id: string }>): Promise<Created> {
  const began = performance.now();
  const { id } = await create();
  return { id, ms: performance.now() - began };
}

/** Polls the database, so that the API is not disturbed. */
export async function untilCount(
  { services, tenant }: World,
  kind: Kind,
  status: string,
  count: number,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const [row] = await services.database.query<{ count: string }>(
      `select count(*) from transfers where tenant_id = $1 and kind = $2 and status = $3`,
      [tenant.clientId, kind, status],
    );
    if (Number(row?.count) >= count) return;
    if (performance.now() > deadline)
      throw new Error(`timed out: ${row?.count} of ${count} ${kind} are ${status}`);
    await sleep(100);
  }
}
