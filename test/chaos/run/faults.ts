import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from '../../../src/kernel/db/database';
import { runtimeUrl } from '../../../src/startup/embedded/postgres/connection';
import type { Fleet, Server } from '../../support/product';
import type { Random } from './random';
import type { ChaosWorld, RoleName } from './world';

/** A fault of a run. Each fault ends by itself, and resolves when the broken part works again or was replaced. */
export interface Fault {
  /** @returns the name of the victim, where the random numbers chose one */
  play(world: ChaosWorld, random: Random): Promise<unknown>;
  /** Why the fault is impossible here. */
  skipped?(world: ChaosWorld): string | undefined;
}

/** A worker's lease on a shard, a reading or an activity lasts half a minute. */
const LEASE_MS = 30_000;

const killRole = (...names: RoleName[]): Fault => ({
  play: async ({ roles }, random) => {
    const name = random.pick(names);
    await roles[name].kill9();
    return name;
  },
});

/** Stops the process for longer than a lease, and lets it go on as if nothing had happened. */
const freezeRole = (...names: RoleName[]): Fault => ({
  play: async ({ roles }, random) => {
    const name = random.pick(names);
    const pid = roles[name].pid();
    if (pid !== undefined) await frozen([pid], LEASE_MS + random.between(2_000, 10_000));
    return name;
  },
});

const killServer = (name: 'postgres' | 'temporal' | 'chain'): Fault => ({
  play: ({ fleet }) => replaced(fleet[name]),
});

/** Without room for its WAL, Postgres ends all backends and cannot recover until there is room again. */
const fillDisk = (name: keyof ChaosWorld['disks']): Fault => ({
  skipped: ({ disks }) => (disks[name] ? undefined : 'no file system can be mounted here'),
  play: async ({ disks }, random) => {
    await fill(disks[name] ?? '', random.between(5_000, 10_000));
  },
});

const network = (server: 'postgres' | 'temporal', way: 'cut' | 'delay' | 'halfClose' | 'part'): Fault => ({
  play: async ({ proxies }, random) => {
    await proxies[server][way](random.between(5_000, 20_000));
    await sleep(1_000);
  },
});

export const FAULTS = {
  'kill an API': killRole('api', 'api 2'),
  'kill a worker': killRole('worker', 'worker 2'),
  'kill a dispatcher': killRole('dispatcher', 'dispatcher 2'),
  'kill the signer': killRole('signer'),
  'kill the desk': killRole('desk'),
  'kill the parties': { play: ({ parties }) => parties.kill9() },
  'kill Postgres': killServer('postgres'),
  /** Postgres then ends all other backends and recovers. */
  'kill a backend of Postgres': {
    play: async ({ fleet }, random) => {
      const backends = childrenOf(fleet.postgres.pid(), 'cardwright');
      if (backends.length > 0) process.kill(random.pick(backends), 'SIGKILL');
      await sleep(1_000);
    },
  },
  'kill Temporal': killServer('temporal'),
  /** The node loses its last second or so. */
  'kill the chain': killServer('chain'),
  'freeze an API': freezeRole('api', 'api 2'),
  'freeze a worker': freezeRole('worker', 'worker 2'),
  'freeze a dispatcher': freezeRole('dispatcher', 'dispatcher 2'),
  'freeze Postgres': {
    play: ({ fleet }, random) => {
      const pid = fleet.postgres.pid();
      return frozen([pid, ...childrenOf(pid)], random.between(5_000, 15_000));
    },
  },
  'freeze Temporal': {
    play: ({ fleet }, random) => frozen([fleet.temporal.pid()], random.between(5_000, 15_000)),
  },
  'cut Postgres': network('postgres', 'cut'),
  'delay Postgres': network('postgres', 'delay'),
  'half-close Postgres': network('postgres', 'halfClose'),
  'part from Postgres': network('postgres', 'part'),
  'cut Temporal': network('temporal', 'cut'),
  'delay Temporal': network('temporal', 'delay'),
  'half-close Temporal': network('temporal', 'halfClose'),
  'part from Temporal': network('temporal', 'part'),
  'take all connections': {
    play: ({ fleet }, random) => takeConnections(fleet.databaseUrl, random.between(5_000, 10_000)),
  },
  'fill the disk of documents': fillDisk('documents'),
  'fill the disk of Postgres': fillDisk('postgres'),
  'wipe Temporal': { play: ({ fleet, database }) => wipeTemporal(fleet, database) },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Kills a server, and waits until its keeper has started it again. */
export async function replaced(server: Pick<Server, 'pid'>): Promise<void> {
  const before = server.pid();
  process.kill(before, 'SIGKILL');
  while (server.pid() === before) await sleep(50);
}

async function frozen(pids: readonly number[], ms: number): Promise<void> {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids)
      try {
        process.kill(pid, name);
      } catch {
        // it ended meanwhile
      }
  };
  signal('SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    signal('SIGCONT');
  }
}

/** @param containing a part of the command line @returns the process ids of children */
export function childrenOf(pid: number, containing = ''): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
  return lines.flatMap((line) => {
    const [, child, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === pid && args.includes(containing) ? [Number(child)] : [];
  });
}

/** Takes every connection that the product's role may have, the product's own ones too. */
async function takeConnections(ownerUrl: string, ms: number): Promise<void> {
  const taken: Client[] = [];
  const owner = new Client({ connectionString: ownerUrl });
  owner.on('error', () => undefined);
  const take = async () => {
    for (;;) {
      const client = new Client({ connectionString: runtimeUrl(ownerUrl), application_name: 'taken' });
      client.on('error', () => undefined);
      try {
        await client.connect();
        taken.push(client);
      } catch {
        return;
      }
    }
  };
  try {
    await owner.connect();
    await take();
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'cardwright%' and application_name not like '%signer%'`,
    );
    await take();
    await sleep(ms);
  } finally {
    await Promise.all([...taken, owner].map((client) => client.end().catch(() => undefined)));
  }
}

async function fill(folder: string, ms: number): Promise<void> {
  const fillers = join(folder, 'fillers');
  mkdirSync(fillers);
  try {
    takeRoom(fillers);
    await sleep(ms);
  } finally {
    rmSync(fillers, { recursive: true });
  }
}

/** Takes the free room in ever smaller pieces, because others write meanwhile. */
function takeRoom(folder: string): void {
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  let made = 0;
  for (let bytes = free(); bytes >= 4_096; bytes = Math.min(Math.floor(bytes / 2), free()))
    spawnSync('fallocate', ['--length', String(bytes), join(folder, String((made += 1)))]);
}

/**
 * Temporal loses all its data. The reconciler starts overdue work again, and an hour passes for all work.
 * @param beside runs beside Temporal's new start
 */
export async function wipeTemporal(
  { temporal, dataDir }: Pick<Fleet, 'temporal' | 'dataDir'>,
  database: Database,
  beside: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  await temporal.stop();
  for (const file of readdirSync(dataDir)) if (file.startsWith('temporal.db')) rmSync(join(dataDir, file));
  await database.transaction(async (tx) => {
    for (const [table, column] of OVERDUE_COLUMNS)
      await tx.query(
        `update ${table} set ${column} = ${column} - interval '1 hour' where ${column} is not null`,
      );
    // Nothing was listed in that hour, so no reading goes back before it.
    await tx.query(
      `update party_places p set read_at = read_at - interval '1 hour',
              place = (select l.place from party_places l where l.party = p.party order by l.read_at desc limit 1)`,
    );
  });
  await Promise.all([temporal.start(), beside()]);
}

const OVERDUE_COLUMNS = [
  ['transfers', 'due_by'],
  ['reported_names', 'due_by'],
  ['wallet_allocations', 'due_by'],
  ['gas_operations', 'due_by'],
  ['cards', 'updated_at'],
  ['cardholders', 'watched_until'],
] as const;
