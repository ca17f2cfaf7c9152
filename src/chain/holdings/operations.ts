import { anyOf, raw } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { decimal, recordTable, safeInteger } from '../../kernel/db/record-table';
import { writeWithCommit } from '../../kernel/db/writes';
import { Decimal, ZERO } from '../../kernel/money/money';
import { type ChainPlace, type HoldingChange, sumKey } from './record';

/**
 * The holdings of our addresses: each change of an address and asset, with its cause. Deposits, gas operations and
 * station top-ups write changes in the transactions in which they book. The sum of an address's changes is its expected
 * balance.
 */

// Raw: takes any number of rows in one parameter, and sums the changes of one cause and address exactly.
const NOTE = `
  insert into holding_changes (chain, cause, address, asset, place, amount, booked, withheld, block_number)
  select r.chain, r.cause, r.address, r.asset, r.place, sum(r.amount), sum(r.booked), sum(r.withheld), max(r.block_number)
    from json_to_recordset($1::json) as r(chain text, cause text, address text, asset text, place text, amount numeric,
           booked numeric, withheld numeric, block_number bigint)
   group by 1, 2, 3, 4, 5
  on conflict (chain, cause, address, asset)
  do update set amount = excluded.amount, booked = excluded.booked,
                withheld = excluded.withheld, block_number = excluded.block_number`;

// A booked cause is not overwritten.
const NOTE_SEEN = `${NOTE} where holding_changes.booked = 0`;

/** Writes changes with the commit. Replaces the earlier change of the same cause, address and asset. */
export const noteChanges = (tx: Tx, changes: readonly HoldingChange[]): void =>
  note(tx, changes, { name: 'holding_changes', statement: NOTE });

/** Writes unbooked changes with the commit. Changes nothing where the cause was booked meanwhile. */
export const noteSeen = (tx: Tx, changes: readonly HoldingChange[]): void =>
  note(tx, changes, { name: 'holdings_seen', statement: NOTE_SEEN });

function note(tx: Tx, changes: readonly HoldingChange[], write: { name: string; statement: string }): void {
  if (changes.length === 0) return;
  const rows = changes.map(({ amount, booked, withheld = ZERO, blockNumber, ...rest }) => ({
    ...rest,
    amount: amount.toFixed(),
    booked: booked.toFixed(),
    withheld: withheld.toFixed(),
    block_number: blockNumber,
  }));
  writeWithCommit(tx, [{ ...write, values: [JSON.stringify(rows)] }]);
}

/**
 * Returns what the books hold of each address, in the asset. Omits addresses without a change. The index
 * `holding_changes_of_address` has all that it reads.
 */
export async function bookedAt(
  sql: Sql,
  { chain, asset }: { chain: string; asset: string },
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Decimal>> {
  const sums = holdingChanges()
    .select('address', raw('sum(booked)::text as booked'))
    .where({ chain, asset, place: 'pool' })
    .where(anyOf('address', addresses))
    .groupBy('address');
  const rows = await sql.run<{ address: string; booked: string }>(sums);
  return new Map(rows.map(({ address, booked }) => [address, new Decimal(booked)]));
}

/** Coins that a sweep leaves at an address, and the part of them that the books hold. */
export interface Withheld {
  amount: Decimal;
  booked: Decimal;
}

/**
 * Returns what sweeps leave at each address, in the asset. Omits addresses without such coins. The condition repeats the
 * predicate of the partial index.
 */
export async function withheldAt(
  sql: Sql,
  { chain, asset }: { chain: string; asset: string },
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Withheld>> {
  const sums = holdingChanges()
    .select(
      'address',
      raw('sum(withheld)::text as amount'),
      raw('sum(least(withheld, greatest(booked, 0)))::text as booked'),
    )
    .where({ chain, asset, place: 'pool' })
    .whereRaw('withheld > 0')
    .where(anyOf('address', addresses))
    .groupBy('address');
  const rows = await sql.run<{ address: string; amount: string; booked: string }>(sums);
  return new Map(
    rows.map(({ address, amount, booked }) => [
      address,
      { amount: new Decimal(amount), booked: new Decimal(booked) },
    ]),
  );
}

/**
 * Lists the addresses of a chain's pool that hold at least an amount of an asset: what deposits brought, final or not, less
 * what operations moved. The index `holding_changes_of_pool` has all that it reads.
 */
export async function poolHolding(
  sql: Sql,
  { chain, asset, least }: { chain: string; asset: string; least: Decimal },
): Promise<string[]> {
  const rows = await sql.run<{ address: string }>(
    holdingChanges()
      .select('address')
      .where({ chain, asset })
      .whereRaw(`place = 'pool'`) // as the predicate of the index
      .groupBy('address')
      .havingRaw('sum(amount) > 0 and sum(amount) >= ?::numeric', [least.toFixed()]),
  );
  return rows.map(({ address }) => address);
}

/**
 * Returns how much more a chain holds at a block than the books, by place and asset ({@link sumKey}). Amounts booked
 * from later blocks count as less. Raw: reads only changes whose booked amount differs, and changes of later blocks,
 * each by its own index.
 */
export async function unbookedAt(
  sql: Sql,
  chain: string,
  blockNumber: number,
): Promise<[key: string, amount: Decimal][]> {
  const rows = await sql.query<{ place: ChainPlace; asset: string; amount: string }>(UNBOOKED, [
    chain,
    blockNumber,
  ]);
  return rows.map(({ place, asset, amount }) => [sumKey(place, asset), new Decimal(amount)]);
}

const UNBOOKED = `
  select place, asset, sum(amount)::text as amount from (
    select place, asset, amount - booked as amount from holding_changes where chain = $1 and amount <> booked
    union all
    select place, asset, -amount from holding_changes where chain = $1 and block_number > $2) as beside
   group by place, asset`;

type Arrival = Pick<HoldingChange, 'cause' | 'address' | 'blockNumber'>;

const holdingChanges = recordTable<Arrival>('holding_changes', { blockNumber: safeInteger }, [
  ...['cause', 'address', 'blockNumber'],
]);

/** The condition repeats the predicate of the partial index that serves it. */
const arrivals = (chain: string) =>
  holdingChanges().where({ chain }).whereRaw(`place = 'station' and booked = 0 and amount > 0`);

/** Lists the unbooked arrivals of coins at stations, up to and including the block `upTo`. */
export const arrivalsUnbooked = (sql: Sql, chain: string, upTo: number): Promise<Arrival[]> =>
  holdingChanges.all(sql, arrivals(chain).where('blockNumber', '<=', upTo));

/** Sets the change of each unbooked cause to zero, because the chain does not have it. Booked causes stay. */
export async function clearChanges(tx: Tx, chain: string, causes: readonly string[]): Promise<void> {
  await tx.run(
    holdingChanges().where({ chain, booked: 0 }).where(anyOf('cause', causes)).update({ amount: 0 }),
  );
}

/** A booked cause, and the sum of its changes to an asset at all of our addresses. */
interface BookedCause {
  cause: string;
  /** On the chain, in the asset. Negative when our addresses have less. */
  amount: Decimal;
  blockNumber: number;
}

const causes = recordTable<BookedCause>('holding_changes', { amount: decimal, blockNumber: safeInteger }, [
  'cause',
  raw('sum(amount)::text as amount'),
  raw('max(block_number) as block_number'),
]);

/**
 * Lists the causes that changed an asset in or after a block and are booked. A movement between addresses of ours adds
 * up to zero, so the sum of a gas operation is its fee.
 */
export const bookedSince = (
  sql: Sql,
  { chain, asset, block, cause }: { chain: string; asset: string; block: number; cause?: string },
): Promise<BookedCause[]> =>
  causes.all(
    sql,
    causes()
      .where({ chain, asset })
      .where('blockNumber', '>=', block)
      .where('booked', '<>', 0)
      .modify((query) => {
        if (cause !== undefined) void query.where({ cause });
      })
      .groupBy('cause')
      .orderBy('cause'),
  );

/**
 * Sets unbooked station arrivals above a block to zero, because a reorganisation replaced these blocks. The watcher
 * reads them again.
 */
export async function forgetArrivals(tx: Tx, chain: string, above: number): Promise<void> {
  const causes = arrivals(chain).where('blockNumber', '>', above).select('cause');
  await tx.run(holdingChanges().where({ chain, booked: 0 }).whereIn('cause', causes).update({ amount: 0 }));
}
