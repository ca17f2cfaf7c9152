import type { Sql } from '../db/database';

export interface NewCallback {
  id: string;
  party: string;
  externalId: string | null;
  /** Sealed. */
  body: Buffer;
  headers: Record<string, string>;
}

/** @returns false when it came before */
export async function insertVerified(tx: Sql, given: NewCallback): Promise<boolean> {
  const rows = await tx.query(
    `insert into provider_callbacks (id, party, external_id, body, headers, verified)
     values ($1, $2, $3, $4, $5, true) on conflict (party, external_id) where verified do nothing returning id`,
    [given.id, given.party, given.externalId, given.body, JSON.stringify(given.headers)],
  );
  return rows.length === 1;
}

/** Anybody can send these: of each party at most so many an hour are kept. */
const FORGED_AN_HOUR = 1_000;

export async function insertForged(sql: Sql, given: NewCallback): Promise<void> {
  await sql.query(
    `insert into provider_callbacks (id, party, body, headers, verified)
     select $1, $2, $3, $4, false
      where (select count(*) from (select 1 from provider_callbacks
              where party = $2 and not verified and received_at > clock_timestamp() - interval '1 hour' limit $5) f) < $5`,
    [given.id, given.party, given.body, JSON.stringify(given.headers), FORGED_AN_HOUR],
  );
}

export async function noteHandled(tx: Sql, id: string, outcome: string): Promise<void> {
  await tx.query(
    `update provider_callbacks set outcome = $2, handled_at = date_trunc('milliseconds', clock_timestamp())
      where id = $1`,
    [id, outcome],
  );
}
