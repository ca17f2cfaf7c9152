import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { SWEEP_STRATEGIES, type SweepStrategyName } from '../../../src/chain/gas-station/strategies/port';
import { createDatabase, type Database } from '../../../src/kernel/db/database';
import { runtimeUrl } from '../../../src/startup/embedded/postgres/connection';
import { killAll } from '../../startup/process';
import { type Receiver, startReceiver } from '../../support/outside/receiver';
import { ownPort } from '../../support/own-port';
import { type Credential, type Fleet, type Kept, startFleet } from '../../support/product';
import { temporaryFolder } from '../../support/servers';
import { type ChainWorld, openChainWorld } from '../chain/world';
import type { Moneyed } from '../money';
import { type Persistent, persistent } from '../persistent';
import { type Balancer, openBalancer } from './balancer';
import { startParties } from './parties';
import { openProxy, type Proxy } from './proxy';

/**
 * An installation of separate processes for a chaos run. The parties are apart with a database of their own, so that they remember
 * what the product forgets. The second API, worker and dispatcher reach Postgres and Temporal through proxies, their clocks are wrong,
 * and they may run another commit.
 */
export interface ChaosWorld {
  fleet: Fleet;
  /** The roles by name, such as `api 2`. */
  roles: Record<RoleName, Kept>;
  /** The network of the second API, worker and dispatcher. */
  proxies: Record<'postgres' | 'temporal', Proxy>;
  parties: { kill9(): Promise<void>; database: Database };
  /** The product's database, as its owner. */
  database: Database;
  receiver: Receiver;
  credential: Credential;
  client: Persistent;
  admin: Persistent;
  /** Accounts of the tenant, and its virtual IBAN. */
  usd: string;
  moneyed: Moneyed;
  iban: string;
  onChain: ChainWorld;
  /** Strategies in which sweeps take turns. Each version signs for its own contract, so two versions sweep by transfers only. */
  strategies: readonly SweepStrategyName[];
  /** Folders that are disks of their own. Absent where none can be mounted. */
  disks: { documents?: string; postgres?: string };
  /** Clients reach the product here. */
  frontUrl: string;
  /** An operator command at the desk's process. */
  operator: Fleet['operator'];
  /** Folder with the logs of the processes. */
  logs: string;
  close(): Promise<void>;
}

export type RoleName =
  | 'api'
  | 'api 2'
  | 'worker'
  | 'worker 2'
  | 'dispatcher'
  | 'dispatcher 2'
  | 'desk'
  | 'signer';

/**
 * A worker and a dispatcher are minutes ahead, and an API is as far behind as docs/operating.md allows. An API further behind takes no
 * rates, and refuses the quotes and destinations that the other one made.
 */
export const CLOCK_SHIFTS_MS = { 'api 2': -4_000, 'worker 2': 120_000, 'dispatcher 2': 120_000 } as const;

/** Enough for hours: a life of money costs some 5,000. */
const OPENING = { usd: '40000000.00', eur: '40000000.00' };
/** Sum that an admin may decide alone, above the opening. */
const LIMIT = '100000000';
/**
 * Enough for hours of documents, which take a megabyte a minute, and for the books with their WAL (`max_wal_size`, 2 GB). A fault fills
 * the rest.
 */
const DISK_BYTES = { documents: 256 * 1024 ** 2, postgres: 3 * 1024 ** 3 };

/** @param other folder of another commit (scripts/unpack-commit.ts), which half of the processes run */
export async function openWorld(other?: string): Promise<ChaosWorld> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    // In the reverse order; once, although a signal may come while a run ends.
    for (const each of closing.splice(0).reverse()) await Promise.resolve(each()).catch(() => undefined);
    killAll();
  };
  try {
    const balancer = await openBalancer();
    closing.push(() => balancer.close());
    const parties = await startParties(closing);
    const documents = temporaryFolder('documents');
    closing.push(() => rmSync(documents, { recursive: true, force: true }));
    const hasDisk = mounted(documents, DISK_BYTES.documents, closing);
    const deskPort = await ownPort();
    const environment = {
      ...parties.addresses,
      PUBLIC_URL: balancer.url,
      DOCUMENTS_FOLDER: documents,
      WORKER_WEBHOOKS: 'off',
      DESK_URL: `http://127.0.0.1:${deskPort}`,
      ADMIN_LIMIT: LIMIT,
      ADMIN_TENANT_LIMIT: LIMIT,
      ADMIN_INSTALLATION_LIMIT: LIMIT,
    };
    const fleet = await startFleet(environment);
    closing.push(() => fleet.close());
    const postgres = await onDisk(fleet, closing);
    const { roles, proxies } = await startOthers(fleet, { balancer, deskPort, other, closing });
    const database = createDatabase({ url: fleet.databaseUrl, poolSize: 3, name: 'chaos' });
    closing.push(() => database.close());
    const receiver = await startReceiver({ http: true });
    closing.push(() => receiver.close());
    const front = { ...fleet, baseUrl: balancer.url };
    const tenant = await openTenant(front, receiver);
    const onChain = await openChainWorld(front, tenant.credential);
    closing.push(() => onChain.close());
    // The destination is new. An API that is behind finds it in the future until then.
    await sleep(1_000 - CLOCK_SHIFTS_MS['api 2']);
    return {
      fleet,
      roles,
      proxies,
      parties,
      database,
      receiver,
      ...tenant,
      onChain,
      strategies: other === undefined ? SWEEP_STRATEGIES : ['transfer'],
      disks: { ...(hasDisk && { documents }), ...(postgres && { postgres }) },
      frontUrl: balancer.url,
      operator: fleet.operator,
      logs: keepLogs(roles, closing),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Mounts a small disk in memory. @returns whether this user may */
function mounted(folder: string, bytes: number, closing: (() => unknown)[], options = ''): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}${options}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return false;
  }
  closing.push(() => execFileSync('umount', ['-l', folder]));
  return true;
}

/** Moves the data of Postgres to a disk of its own. @returns its folder, where this user may mount one */
async function onDisk(
  { dataDir, postgres }: Pick<Fleet, 'dataDir' | 'postgres'>,
  closing: (() => unknown)[],
): Promise<string | undefined> {
  const [data, aside] = [join(dataDir, 'postgres'), join(dataDir, 'aside')];
  const { uid, gid } = statSync(data);
  await postgres.stop();
  renameSync(data, aside);
  mkdirSync(data);
  const hasDisk = mounted(data, DISK_BYTES.postgres, closing, `,mode=700,uid=${uid},gid=${gid}`);
  if (hasDisk) execFileSync('cp', ['-a', `${aside}/.`, data]);
  else {
    rmSync(data, { recursive: true });
    renameSync(aside, data);
  }
  await postgres.start();
  return hasDisk ? data : undefined;
}

interface Others {
  balancer: Balancer;
  deskPort: number;
  other: string | undefined;
  closing: (() => unknown)[];
}

async function startOthers(fleet: Fleet, { balancer, deskPort, other, closing }: Others) {
  const database = new URL(runtimeUrl(fleet.databaseUrl));
  const [postgres, temporal] = await Promise.all([
    openProxy(Number(database.port)),
    openProxy(Number(fleet.temporalAddress.split(':')[1])),
  ]);
  closing.push(() => Promise.all([postgres.close(), temporal.close()]));
  database.port = String(postgres.port);
  database.hostname = '127.0.0.1';
  const apart = (name: keyof typeof CLOCK_SHIFTS_MS) => ({
    DATABASE_URL: database.toString(),
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
    NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, 'shifted-clock.mjs')).href}`,
    CLOCK_SHIFT_MS: String(CLOCK_SHIFTS_MS[name]),
  });
  const port = await ownPort();
  const [api, worker, dispatcher, dispatcher2, desk] = await Promise.all([
    fleet.another('api', { ...apart('api 2'), PORT: String(port) }, other),
    fleet.another('worker', apart('worker 2'), other),
    fleet.another('dispatcher'),
    fleet.another('dispatcher', apart('dispatcher 2'), other),
    fleet.another('desk', { DESK_PORT: String(deskPort) }),
  ]);
  balancer.add(fleet.baseUrl);
  balancer.add(`http://127.0.0.1:${port}`);
  const roles = {
    api: fleet.api,
    'api 2': api,
    worker: fleet.worker,
    'worker 2': worker,
    dispatcher,
    'dispatcher 2': dispatcher2,
    desk,
    signer: fleet.signer,
  };
  return { roles, proxies: { postgres, temporal } };
}

/** A tenant with money in USD and EUR and on a virtual IBAN, whose webhooks go to the receiver. */
async function openTenant(front: Fleet, receiver: Receiver) {
  const credential = await front.newTenant();
  const client = persistent(front, credential);
  const admin = persistent(front, await front.newTenant('admin'));
  await client.send('POST', '/v1/webhooks', { url: receiver.url }, 'register');
  for (const type of ['deposit', 'payout', 'transfer'])
    await client.send('POST', '/v1/webhooks', { url: receiver.url, type }, `register-${type}`);
  const { data } = await client.get('/v1/accounts?limit=100');
  const idOf = (wanted: string): string =>
    data.find(({ currency }: { currency: string }) => currency === wanted).id;
  const [usd, eur] = [idOf('USD'), idOf('EUR')];
  for (const [accountId, amount] of [
    [usd, OPENING.usd],
    [eur, OPENING.eur],
  ] as const) {
    const opening = { accountId, amount, reason: 'opening' };
    const { status, text } = await admin.send('POST', '/v1/accounts/admin-deposit', opening, accountId);
    if (status !== 201) throw new Error(text);
  }
  const { clientId: companyId } = credential;
  await decide(front, 'iban', 'enable', companyId);
  const made = await decide(
    front,
    ...['destination', 'add', '--client', companyId, '--currency', 'EUR', '--name', 'Ada Byron'],
    ...['--iban', 'DE89370400440532013000', '--json'],
  );
  const { id: destinationId } = JSON.parse(made) as { id: string };
  await decide(front, 'destination', 'waive', destinationId);
  const { iban } = await client.get(`/v1/corporate-banking/${companyId}/account`);
  const moneyed = { companyId, accountId: eur, destinationId, intoId: usd };
  return { credential, client, admin, usd, moneyed, iban: String(iban) };
}

/** @throws Error with the output of a command that fails */
export async function decide({ operator }: Pick<Fleet, 'operator'>, ...argv: string[]): Promise<string> {
  const { code, out } = await operator(...argv);
  if (code !== 0) throw new Error(`operator ${argv.join(' ')}: ${out}`);
  return out;
}

const LOG_EVERY_MS = 5_000;

/** Writes what the processes log to files, while they run. @returns the folder */
function keepLogs(roles: Record<string, Kept>, closing: (() => unknown)[]): string {
  const folder = temporaryFolder('chaos-logs');
  const written = new Map<string, number>();
  const write = () => {
    for (const [name, { text }] of Object.entries(roles)) {
      const all = text();
      appendFileSync(join(folder, `${name.replace(' ', '-')}.log`), all.slice(written.get(name) ?? 0));
      written.set(name, all.length);
    }
  };
  const timer = setInterval(write, LOG_EVERY_MS);
  closing.push(() => {
    clearInterval(timer);
    write();
  });
  return folder;
}

/** Waits for something that another process must do. @returns whether it happened */
export async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(500))
    if (await holds().catch(() => false)) return true;
  return false;
}
