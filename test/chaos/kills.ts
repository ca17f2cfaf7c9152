import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { CREDIT_CALLBACK_PATH } from '../../src/transfers/iban/credits/kind';
import type { Fleet } from '../support/product';
import { until } from '../support/until';
import { childrenOf, replaced, wipeTemporal } from './run/faults';

/**
 * Sends SIGKILL at random moments of the work. Moments are counted in answers, so that a slow machine is not killed
 * more often.
 */

export const KILLS = {
  api: (fleet: Fleet) => fleet.api.kill9(),
  worker: (fleet: Fleet) => fleet.worker.kill9(),
  postgres: (fleet: Fleet) => replaced(fleet.postgres),
  /** One backend process. Postgres then ends all others and recovers. */
  backend: async ({ postgres }: Fleet) => {
    const backends = childrenOf(postgres.pid(), 'cardwright');
    const victim = backends[Math.floor(Math.random() * backends.length)];
    if (victim !== undefined) process.kill(victim, 'SIGKILL');
  },
  temporal: (fleet: Fleet) => replaced(fleet.temporal),
  /** The node of the local chain, which loses its last second or so. */
  chain: (fleet: Fleet) => replaced(fleet.chain),
  /** Temporal loses all its data. */
  memory: wiped,
} as const satisfies Record<string, (fleet: Fleet) => Promise<void>>;
export type Victim = keyof typeof KILLS;

/**
 * The reconciler of a running worker runs once a minute, that of a new worker at once. Only long runs wait for the
 * minute.
 */
export const PATIENT = process.env['CHAOS_ROUNDS'] !== undefined;

/** Temporal loses its data. The worker is killed before it can begin any work, because the leases of a killed worker last for half a minute. */
async function wiped(fleet: Fleet): Promise<void> {
  const database = createDatabase({ url: fleet.databaseUrl, poolSize: 1, name: 'time passes' });
  try {
    await wipeTemporal(fleet, database, () => (PATIENT ? undefined : fleet.worker.kill9()));
  } finally {
    await database.close();
  }
}

/**
 * Plays a payment to an IBAN that the bank calls back about and lists, while the bank cannot be read. Then Temporal
 * loses its data. The bank returns an hour later.
 */
export async function wipedWhilePartyIsAway(
  fleet: Fleet,
  database: Database,
  payment: { iban: string; amount: string },
): Promise<void> {
  const at = new Date();
  const given = { iban: payment.iban, amount: new Decimal(payment.amount), currency: 'EUR', mute: false };
  const callbackUrl = fleet.baseUrl + CREDIT_CALLBACK_PATH;
  const away = 'sandbox_orders_away';
  const ref = await database.transaction(async (tx) => {
    const id = await receivePayment(tx, given, { callbackUrl, at });
    await tx.query(`alter table sandbox_orders rename to ${away}`);
    return id;
  });
  const isTold = async () =>
    (
      await database.query(
        `select 1 from reported_names where ref = $1
            and exists (select 1 from party_places where party = 'bank' and read_at > $2)`,
        [ref, at],
      )
    ).length > 0;
  await until(isTold);
  await wiped(fleet);
  await database.query(`alter table ${away} rename to sandbox_orders`);
}

export interface KillPlan {
  /** Called for each request that is sent. */
  onWrite(): void;
  /** Whether every victim was killed and has restarted. */
  done(): boolean;
  /** The kills in order, for the message of a failed test. */
  log: string[];
}

const ANSWERS_BETWEEN = 60;
/** Longest delay of a kill after a request, in milliseconds, so that the request may be in any of its steps. */
const WITHIN_MS = 25;

/**
 * Kills each kind once in a round, in random order. The next kill follows when the last victim is back and work has
 * continued.
 * @param answers number of definite answers so far
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
