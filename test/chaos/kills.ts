import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { CREDIT_CALLBACK_PATH } from '../../src/transfers/iban/credits/kind';
import type { Fleet } from '../support/product';
import { until } from '../support/until';

/** SIGKILL at random moments of the work, which are counted in answers: a slow machine is not killed more often. */

export const KILLS = {
  api: (fleet: Fleet) => fleet.api.kill9(),
  worker: (fleet: Fleet) => fleet.worker.kill9(),
  postgres: (fleet: Fleet) => replaced(fleet.postgres),
  /** One of its processes: Postgres then ends all the others, and recovers. */
  backend: async ({ postgres }: Fleet) => {
    const backends = childrenOf(postgres.pid());
    const victim = backends[Math.floor(Math.random() * backends.length)];
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
  },
  temporal: (fleet: Fleet) => replaced(fleet.temporal),
  /** The node of the local chain, with what came in the last second or so. */
  chain: (fleet: Fleet) => replaced(fleet.chain),
  /** Temporal loses all it knows. */
  memory: wiped,
} as const satisfies Record<string, (fleet: Fleet) => Promise<void>>;
export type Victim = keyof typeof KILLS;

async function replaced(server: { pid(): number }): Promise<void> {
  const before = server.pid();
  process.kill(before, 'SIGKILL');
  while (server.pid() === before) await sleep(50); // whoever keeps it starts it again
}

/** The reconciler of a running worker looks once a minute, that of a new one at once: the minute is for long runs. */
export const PATIENT = process.env['CHAOS_ROUNDS'] !== undefined;

/** What stood still is started again when it is overdue, which is made to be at once. */
async function wiped(fleet: Fleet): Promise<void> {
  const { temporal, dataDir, databaseUrl } = fleet;
  await temporal.stop();
  for (const file of readdirSync(dataDir)) if (file.startsWith('temporal.db')) rmSync(join(dataDir, file));
  const database = createDatabase({ url: databaseUrl, poolSize: 1, name: 'time passes' });
  try {
    for (const [table, column] of OVERDUE_COLUMNS)
      await database.query(
        `update ${table} set ${column} = ${column} - interval '1 hour' where ${column} is not null`,
      );
    // Nothing more was listed in that hour: no reading goes back to before what was told.
    await database.query(
      `update party_places p set read_at = read_at - interval '1 hour',
              place = (select l.place from party_places l where l.party = p.party order by l.read_at desc limit 1)`,
    );
  } finally {
    await database.close();
  }
  // Killed before there is anything that it could begin: what a killed worker has leased rests for half a minute.
  await Promise.all([temporal.start(), ...(PATIENT ? [] : [fleet.worker.kill9()])]);
}

const OVERDUE_COLUMNS = [
  ['transfers', 'due_by'],
  ['told_names', 'due_by'],
  ['wallet_allocations', 'due_by'],
  ['gas_operations', 'due_by'],
  ['cards', 'updated_at'],
  ['cardholders', 'watched_until'],
] as const;

/**
 * Somebody pays to an IBAN, and the bank calls back and lists it, but cannot be asked for it. Then Temporal loses all it
 * knows; the bank is back, an hour later.
 */
export async function wipedWhilePartyIsAway(
  fleet: Fleet,
  database: Database,
  payment: { iban: string; amount: string },
): Promise<void> {
  const at = new Date();
  const given = { iban: payment.iban, amount: new Decimal(payment.amount), currency: 'EUR', mute: false };
  const callbackUrl = fleet.baseUrl + CREDIT_CALLBACK_PATH;
  const away = 'sandbox_bank_credits_away';
  const ref = await database.transaction(async (tx) => {
    const id = await receivePayment(tx, given, { callbackUrl, at });
    await tx.query(`alter table sandbox_bank_credits rename to ${away}`);
    return id;
  });
  const isTold = async () =>
    (
      await database.query(
        `select 1 from told_names where ref = $1
            and exists (select 1 from party_places where party = 'bank' and read_at > $2)`,
        [ref, at],
      )
    ).length > 0;
  await until(isTold);
  await wiped(fleet);
  await database.query(`alter table ${away} rename to sandbox_bank_credits`);
}

/** @returns the process ids of client connections */
function childrenOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
  return lines.flatMap((line) => {
    const [, child, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === pid && args.includes('cardwright') ? [Number(child)] : [];
  });
}

export interface KillPlan {
  /** Told of each request that is sent. */
  onWrite(): void;
  /** Whether every victim was killed and is back. */
  done(): boolean;
  /** What was killed, in order, for the message of a failed test. */
  log: string[];
}

const ANSWERS_BETWEEN = 60;
/** So late at most after a request was sent: it may be in any of its steps. */
const WITHIN_MS = 25;

/**
 * Kills each kind once a round, in a random order; the next when the last is back and work has gone on.
 * @param answers how many definite answers there are by now
 */
export function planKills(
  fleet: Fleet,
  rounds: number,
  answers: () => number,
  fail: (error: Error) => void,
): KillPlan {
  const kinds = Object.keys(KILLS) as Victim[];
  const victims = Array.from({ length: rounds }, () => shuffled(kinds)).flat();
  const log: string[] = [];
  let next = answers() + between(1, ANSWERS_BETWEEN);
  let busy = false;

  async function kill(victim: Victim): Promise<void> {
    await sleep(Math.random() * WITHIN_MS);
    log.push(`${victim} after ${answers()} answers`);
    await KILLS[victim](fleet);
    next = answers() + between(1, ANSWERS_BETWEEN);
    busy = false;
  }

  return {
    log,
    done: () => victims.length === 0 && !busy,
    onWrite() {
      if (busy || answers() < next) return;
      const victim = victims.shift();
      if (victim === undefined) return;
      busy = true;
      kill(victim).catch(fail);
    },
  };
}

const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least));

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
