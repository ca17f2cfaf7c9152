import { assertOldEnough } from '../../kernel/archive-age';
import type { Database, Tx } from '../../kernel/db/database';
import { idsWithin } from '../../kernel/product-clock';

/**
 * The archive takes the events of ended chains out of the database. The authorization of each chain stays in
 * `archived_authorizations` and its references in `archived_references`, so that late messages still find it. The first
 * late message puts the authorization back. The ledger keeps all its entries.
 */

/** Chains per transaction, which locks the cards of these chains. */
const PORTION = 200;

export interface Archived {
  chains: number;
  transactions: number;
}

/**
 * Archives the chains that hold nothing and whose last event is older than a moment. Chains of a card that is in use at
 * the moment stay for the next run. A portion is written before it is deleted, so a run that is broken off may write a
 * chain again.
 * @param database connected as the owner, because the runtime role deletes no card transaction
 * @param write stores lines for good: one JSON object a chain, `{ authorization, transactions }`
 * @throws Problem 400 for a moment in the last hundred days
 */
export async function archiveChains(
  database: Database,
  before: Date,
  write: (lines: string[]) => Promise<void>,
): Promise<Archived> {
  await assertOldEnough(database, before);
  const [, end] = await idsWithin(database, 'cardTransaction', { from: before, to: before });
  const total = { chains: 0, transactions: 0 };
  for (let after = ''; ; ) {
    const portion = await database.transaction(async (tx) => {
      const found = await endedChains(tx, { after, end, before });
      const taken = await takeChains(tx, found, before);
      if (taken.length > 0) await write(taken.map(({ line }) => line));
      return { found, taken };
    });
    total.chains += portion.taken.length;
    total.transactions += portion.taken.reduce((sum, { transactions }) => sum + transactions, 0);
    const last = portion.found.at(-1);
    if (last === undefined || portion.found.length < PORTION) return total;
    after = last.id;
  }
}

interface EndedChain {
  id: string;
  card_id: string;
}

/** The primary key serves it, because an id begins with its time. */
const endedChains = (
  tx: Tx,
  { after, end, before }: { after: string; end: string; before: Date },
): Promise<EndedChain[]> =>
  tx.query(
    `select id, card_id from authorizations
      where closed and updated_at < $3 and id > $1 and id < $2 order by id limit $4`,
    [after, end, before, PORTION],
  );

/**
 * Moves the chains whose cards are free. Each card event holds the lock of its card, so no event comes in between. A
 * chain that was archived before and put back replaces its old row.
 */
async function takeChains(
  tx: Tx,
  found: EndedChain[],
  before: Date,
): Promise<{ line: string; transactions: number }[]> {
  if (found.length === 0) return [];
  const cards = await tx.query<{ id: string }>(
    'select id from cards where id = any($1) order by id for no key update skip locked',
    [[...new Set(found.map(({ card_id }) => card_id))]],
  );
  const free = new Set(cards.map(({ id }) => id));
  const ids = found.filter(({ card_id }) => free.has(card_id)).map(({ id }) => id);
  if (ids.length === 0) return [];
  await tx.query(
    `delete from archived_authorizations where id = any($1)
        and id in (select id from authorizations where id = any($1) and closed and updated_at < $2)`,
    [ids, before],
  );
  return tx.query(
    `with chains as (
       delete from authorizations where id = any($1) and closed and updated_at < $2 returning *
     ), kept as (
       insert into archived_authorizations select * from chains
     ), gone as (
       delete from card_transactions where id = any(array(
         select id from chains
         union
         select l.id from chains c cross join lateral (
           select id from card_transactions where authorization_id = c.id and linked_id is not null) l))
       returning *
     ), found_by as (
       insert into archived_references (reference_id, authorization_id)
       select distinct on (reference_id) reference_id, authorization_id from gone
       on conflict do nothing
     )
     select jsonb_build_object('authorization', to_jsonb(c), 'transactions', coalesce(g.rows, '[]'))::text as line,
            coalesce(g.count, 0)::int as transactions
       from chains c left join (
         select authorization_id, jsonb_agg(to_jsonb(t) order by number) as rows, count(*) as count from gone t
          group by authorization_id) g on g.authorization_id = c.id
      order by c.id`,
    [ids, before],
  );
}
