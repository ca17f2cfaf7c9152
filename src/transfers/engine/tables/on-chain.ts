import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';

/** The transfers of a chain that its blocks concern, by the party's names for them. Each served by an index of its own. */

const ofChain = (chain: string) =>
  table('transfers')
    .select('partyRef')
    .whereRaw(`kind = 'chain_deposit'`)
    .whereRaw(`terms->>'chain' = ?`, [chain]);

const refsOf = async (tx: Sql, query: ReturnType<typeof ofChain>): Promise<string[]> =>
  (await tx.run<{ partyRef: string }>(query)).map(({ partyRef }) => partyRef);

/**
 * Those that a transaction has brought to an address, in the order of its transfers. What was told anew in the place of something that
 * was taken back comes before that.
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

/** Those that people have recorded of a block and an address, for no transaction shows them. */
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

/** How many of an asset are not final. */
export async function countConfirming(sql: Sql, chain: string, asset: string): Promise<number> {
  const query = ofChain(chain).where({ status: 'confirming' }).whereRaw(`terms->>'asset' = ?`, [asset]);
  return (await refsOf(sql, query)).length;
}

/** From which height on something of one is decided: it is deep enough, or has been absent for long enough. */
const DECIDED_AT = raw(`case word->>'state'
  when 'seen' then (word->>'blockNumber')::bigint + (terms->>'confirmations')::bigint - 1
  else (word->>'absentFrom')::bigint + 2 * (terms->>'confirmations')::bigint end`);

const undecided = (chain: string) => ofChain(chain).whereRaw(`word->>'state' in ('seen', 'absent')`);

/** Those that wait for a height that the chain has come to, each with the revision of its row. */
export async function decidedAt(sql: Sql, chain: string, height: number): Promise<Map<string, number>> {
  const query = undecided(chain).where(DECIDED_AT, '<=', height).select('revision');
  const rows = await sql.run<{ partyRef: string; revision: number }>(query);
  return new Map(rows.map(({ partyRef, revision }) => [partyRef, revision]));
}

/** Those that wait for any height, or for what the chain says at all: two indexes, for none serves both. */
export const refsWaiting = async (tx: Tx, chain: string): Promise<string[]> =>
  (
    await Promise.all([undecided(chain), ofChain(chain).whereNull('word')].map((each) => refsOf(tx, each)))
  ).flat();

/** Those that were in a block above that height. */
export const refsAbove = (tx: Tx, chain: string, height: number): Promise<string[]> =>
  refsOf(
    tx,
    ofChain(chain).whereRaw(`(coalesce(word->>'blockNumber', terms->>'blockNumber'))::bigint > ?`, [height]),
  );
