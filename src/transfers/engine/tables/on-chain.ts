import { escapeLiteral } from 'pg';
import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import type { Sign } from '../../../kernel/db/lookout';

/**
 * Finds deposits on a chain by data of blocks. Returns the party's names. Each query is served by an index of its
 * own.
 */

const ofChain = (chain: string) =>
  table('transfers')
    .select('partyRef')
    .whereRaw(`kind = 'chain_deposit'`)
    .whereRaw(`terms->>'chain' = ?`, [chain]);

const refsOf = async (tx: Sql, query: ReturnType<typeof ofChain>): Promise<string[]> =>
  (await tx.run<{ partyRef: string }>(query)).map(({ partyRef }) => partyRef);

/**
 * Deposits that a transaction brought to an address, by ordinal. Deposits that the chain took back come last, so that
 * their replacements precede them.
 */
export const refsOfHash = async (
  sql: Sql,
  { chain, address, txHash }: { chain: string; address: string; txHash: string },
): Promise<string[]> => {
  const query = ofChain(chain)
    .whereRaw(`terms->>'address' = ?`, [address])
    .whereRaw(`terms->>'txHash' = ?`, [txHash]);
  return refsOf(
    sql,
    query.orderByRaw(`coalesce(word->>'state', 'seen') = 'gone', (terms->>'ordinal')::int, id desc`),
  );
};

/** Deposits of a block and an address that people recorded, because no transaction shows them (ordinals below −1). */
export const refsUnshown = (
  sql: Sql,
  { chain, address, blockHash }: { chain: string; address: string; blockHash: string },
): Promise<string[]> =>
  refsOf(
    sql,
    ofChain(chain)
      .whereRaw(`terms->>'address' = ?`, [address])
      .whereRaw(`terms->>'blockHash' = ?`, [blockHash])
      .whereRaw(`(terms->>'ordinal')::int < -1`),
  );

/** Counts the deposits of an asset that are not final. */
export async function countConfirming(sql: Sql, chain: string, asset: string): Promise<number> {
  const query = ofChain(chain).where({ status: 'confirming' }).whereRaw(`terms->>'asset' = ?`, [asset]);
  return (await refsOf(sql, query)).length;
}

/** The height that decides a deposit: enough confirmations, or twice as many blocks without it. */
const DECIDED_AT = raw(`case word->>'state'
  when 'seen' then (word->>'blockNumber')::bigint + (terms->>'confirmations')::bigint - 1
  else (word->>'absentFrom')::bigint + 2 * (terms->>'confirmations')::bigint end`);

const undecided = (chain: string) => ofChain(chain).whereRaw(`word->>'state' in ('seen', 'absent')`);

/**
 * Undecided deposits that the chain's height now decides, each with the revision of its row.
 * @param tagged height that decides the deposits of a tag instead (`decidedBy` of the watcher)
 */
export const decidedAt = (
  sql: Sql,
  chain: string,
  height: number,
  tagged = height,
): Promise<Map<string, number>> => {
  const query = undecided(chain).where(DECIDED_AT, '<=', Math.max(height, tagged));
  if (tagged !== height)
    void query.whereRaw(`? <= case when terms ->> 'finality' is not null then ?::bigint else ?::bigint end`, [
      ...[DECIDED_AT, tagged, height],
    ]);
  return revisionsOf(sql, query);
};

/**
 * Deposits whose next step is due at a height: decided ones, and those without a first step. Two queries, because no
 * index serves both.
 */
export const steppingAt = async (
  sql: Sql,
  chain: string,
  height: number,
  tagged = height,
): Promise<Map<string, number>> =>
  new Map([
    ...(await decidedAt(sql, chain, height, tagged)),
    ...(await revisionsOf(sql, ofChain(chain).whereNull('word'))),
  ]);

async function revisionsOf(sql: Sql, query: ReturnType<typeof ofChain>): Promise<Map<string, number>> {
  const rows = await sql.run<{ partyRef: string; revision: number }>(query.select('revision'));
  return new Map(rows.map(({ partyRef, revision }) => [partyRef, revision]));
}

/**
 * The names of those deposits that are not final in the block in which they were found again. Raw: any number of pairs
 * in one parameter.
 */
export async function refsElsewhere(
  tx: Sql,
  found: readonly { ref: string; blockHash: string }[],
): Promise<string[]> {
  if (found.length === 0) return [];
  const rows = await tx.query<{ ref: string }>(ELSEWHERE, [JSON.stringify(found)]);
  return rows.map(({ ref }) => ref);
}

const ELSEWHERE = `
  select r.ref from json_to_recordset($1::json) as r(ref text, "blockHash" text)
    join transfers t on t.party = 'chain' and t.party_ref = r.ref
   where t.word->>'state' is distinct from 'final' or t.word->>'blockHash' <> r."blockHash"`;

/** Most deposits that the sign below counts, because each look evaluates it. */
const MAX_COUNTED = 100;

/**
 * Changes when a deposit of the chain comes that nobody has asked about yet, for instance by a claim. Above the limit it may stay, and may
 * change without a new deposit. The watcher then has work in any case.
 */
export const newDepositsOn = (chain: string): Sign => ({
  name: `new deposits on ${chain}`,
  sql: `(select concat_ws(' ', count(*), max(id)) from (select id from transfers where kind = 'chain_deposit'
          and terms->>'chain' = ${escapeLiteral(chain)} and word is null limit ${MAX_COUNTED}) as fresh)`,
});

/** Undecided deposits, and deposits without a word. Two queries, because no index serves both. */
export const refsWaiting = async (tx: Tx, chain: string): Promise<string[]> =>
  (
    await Promise.all([undecided(chain), ofChain(chain).whereNull('word')].map((each) => refsOf(tx, each)))
  ).flat();

/** Deposits that were in a block above a height. */
export const refsAbove = (tx: Tx, chain: string, height: number): Promise<string[]> =>
  refsOf(
    tx,
    ofChain(chain).whereRaw(`(coalesce(word->>'blockNumber', terms->>'blockNumber'))::bigint > ?`, [height]),
  );
