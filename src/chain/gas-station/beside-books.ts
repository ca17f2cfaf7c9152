import { anyOf, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { StationRole } from '../services';

/** What a station knows of its chain that the ledger does not say: for whoever compares the two. */

const operations = () => table('gas_operations');

/** Every address that was ever a chain's station, or took what was swept, or paid a station as its treasury: what stood there stands there until it is moved. */
export async function addressesUsed(sql: Sql, chain: string): Promise<Record<StationRole, string[]>> {
  const [config] = await sql.run<Record<StationRole, string | null>>(
    table('gas_configs').select('stationAddress as station', 'treasuryAddress as treasury').where({ chain }),
  );
  const scanned = await sql.run<{ address: string }>(
    table('station_scans').select('address').where({ chain }),
  );
  const [payers, swept] = [await named(sql, PAYERS, chain), await named(sql, RECIPIENTS, chain)];
  const treasuries = await named(sql, TREASURIES, chain);
  const all = (present: string | null | undefined, others: readonly string[]) =>
    [...new Set([...(present ? [present] : []), ...others])].sort();
  return {
    station: all(config?.station, [...scanned.map(({ address }) => address), ...payers]),
    treasury: all(config?.treasury, [...swept, ...treasuries]),
  };
}

/** Raw: each address once, by one look-up of its index for each. They are few, and rows without end. */
const eachOf = (column: string, from: string, condition: string): string => `
  with recursive each(address) as (
    (select ${column} from ${from} where chain = $1 and ${condition} order by ${column} limit 1)
    union all
    select (select ${column} from ${from} where chain = $1 and ${condition} and ${column} > each.address
             order by ${column} limit 1)
      from each where each.address is not null)
  select address from each where address is not null`;

const PAYERS = eachOf('from_address', 'gas_operations', "type = 'topup'");
const RECIPIENTS = eachOf('to_address', 'gas_operations', "type = 'sweep'");
const TREASURIES = eachOf('from_address', 'station_topups', "paid_by = 'treasury'");

const named = async (sql: Sql, text: string, chain: string): Promise<string[]> =>
  (await sql.query<{ address: string }>(text, [chain])).map(({ address }) => address);

/** Of those addresses the ones that are a chain's station, or were, or are to pay a top-up that was ordered of them. */
export async function stationsAmong(
  sql: Sql,
  chain: string,
  addresses: readonly string[],
): Promise<string[]> {
  const rows = await sql.run<{ address: string }>(
    table('stations')
      .with('stations', (query) => {
        void query
          .select('stationAddress as address')
          .from('gas_configs')
          .where({ chain })
          .where(anyOf('stationAddress', addresses))
          .union(table('station_scans').select('address').where({ chain }).where(anyOf('address', addresses)))
          .union(
            operations()
              .select('fromAddress')
              .where({ chain, type: 'topup' })
              .where(anyOf('fromAddress', addresses)),
          );
      })
      .select('address'),
  );
  return rows.map(({ address }) => address);
}

/**
 * Units that sweeps have moved and the ledger could not hold, for each was booked rounded down.
 * @param unit the ledger's least of the asset, in units of the chain
 */
export async function sweptDust(
  sql: Sql,
  { chain, asset, unit }: { chain: string; asset: string; unit: bigint },
): Promise<{ moved: bigint; lost: bigint }> {
  const sum = (column: string, name: string) =>
    raw(`coalesce(sum(mod(${column}, ?)), 0)::text as ${name}`, [String(unit)]);
  const [row] = await sql.run<{ moved: string; lost: string }>(
    operations()
      .select(sum('moved_units', 'moved'), sum('lost_units', 'lost'))
      .where({ chain, asset, type: 'sweep' })
      .whereNotNull('executedAt'),
  );
  return { moved: BigInt(row?.moved ?? 0), lost: BigInt(row?.lost ?? 0) };
}
