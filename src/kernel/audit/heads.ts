import { NOW, table } from '../db/build';
import type { Sql } from '../db/database';
import type { ChainHead } from './log';

/** The head of the chain as it is told outside, one an hour. */
export interface HourlyHead extends ChainHead {
  /** The full hour, ISO 8601 in UTC. */
  hour: string;
}

const heads = () => table('audit_heads');

/** Notes the present head for the hour. Idempotent: the first head of an hour stays. An empty log has no head. */
export async function noteHead(sql: Sql, hour: Date): Promise<void> {
  // Raw, because Knex has no insert of a select with columns.
  await sql.query(
    `insert into audit_heads (hour, number, hash)
     select $1, number, hash from audit_chain order by number desc limit 1
     on conflict (hour) do nothing`,
    [hour],
  );
}

/** The heads that are not told yet, the oldest first. */
export async function untoldHeads(sql: Sql, limit: number): Promise<HourlyHead[]> {
  const rows = await sql.run<{ hour: Date; number: string; hash: Buffer }>(
    heads().select('hour', 'number', 'hash').whereNull('toldAt').orderBy('hour').limit(limit),
  );
  return rows.map(({ hour, number, hash }) => ({
    hour: hour.toISOString(),
    number: Number(number),
    hash: hash.toString('hex'),
  }));
}

export async function markTold(sql: Sql, { hour }: HourlyHead): Promise<void> {
  await sql.run(
    heads()
      .where({ hour: new Date(hour) })
      .update({ toldAt: NOW }),
  );
}

/** The line, object or body that tells a head. */
export const textOfHead = ({ hour, number, hash }: HourlyHead): string =>
  JSON.stringify({ hour, number, hash });

/** Reads {@link textOfHead}. @returns undefined for another text */
export function headOfText(text: string): HourlyHead | undefined {
  try {
    const { hour, number, hash } = JSON.parse(text) as Partial<HourlyHead>;
    const isHead =
      typeof hour === 'string' && Number.isSafeInteger(number) && /^[0-9a-f]{64}$/.test(String(hash));
    return isHead ? { hour, number: number as number, hash: hash as string } : undefined;
  } catch {
    return undefined;
  }
}
