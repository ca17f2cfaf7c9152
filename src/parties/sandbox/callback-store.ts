import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Sign } from '../../kernel/db/lookout';
import type { SandboxParty } from './options';
import { secondsAfter } from './time';

export interface DueCallback {
  number: string;
  party: SandboxParty;
  ref: string;
  callbackUrl: string;
  repeats: boolean;
  /** With the present attempt. */
  attempts: number;
}

/** Lease of a taken callback. It is longer than a delivery takes; afterwards another process takes the callback. */
const TAKEN_SECONDS = 20;
/** Pauses between attempts. After the last one the callback is lost, as with a real party. */
const PAUSES_SECONDS = [1, 5, 30, 120, 600];

const changes = () => table('sandbox_party_changes');

/** When the next callback is due, as text. */
export const PLANNED_CALLBACKS: Sign = {
  name: 'callbacks of the sandbox',
  sql: 'select min(next_attempt_at) from sandbox_party_changes',
};
export const NO_CALLBACK = null;

/** When the next callback is due, even if that is past. Null: none is planned. */
export async function nextDueAt(sql: Sql): Promise<Date | null> {
  const [row] = await sql.run<{ at: Date | null }>(changes().min({ at: 'nextAttemptAt' }));
  return row?.at ?? null;
}

/** Leases the callbacks that are due, so that no other process sends them meanwhile. */
export function takeDue(sql: Sql, at: Date, limit: number): Promise<DueCallback[]> {
  // Raw: processes share the rows by `skip locked`.
  return sql.query<DueCallback>(
    `update sandbox_party_changes set attempts = attempts + 1, next_attempt_at = $2
      where number in (select number from sandbox_party_changes where next_attempt_at <= $1
                        order by next_attempt_at limit $3 for update skip locked)
      returning number, party, ref, callback_url as "callbackUrl", repeats, attempts`,
    [at, secondsAfter(at, TAKEN_SECONDS), limit],
  );
}

export async function noteDelivered(sql: Sql, { number }: DueCallback, at: Date): Promise<void> {
  await sql.run(changes().where({ number }).update({ toldAt: at, nextAttemptAt: null }));
}

export async function noteUndelivered(sql: Sql, { number, attempts }: DueCallback, at: Date): Promise<void> {
  const pause = PAUSES_SECONDS[attempts - 1];
  const nextAttemptAt = pause === undefined ? null : secondsAfter(at, pause);
  await sql.run(changes().where({ number }).update({ nextAttemptAt }));
}
