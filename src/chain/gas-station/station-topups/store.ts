import { filtered, type IdPage, NOW, newestFirst, raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable, safeInteger, wholeUnits } from '../../../kernel/db/record-table';
import type { Payer, StationTopup } from './record';

const topups = recordTable<StationTopup>(
  'station_topups',
  { units: wholeUnits, amount: decimal, blockNumber: safeInteger },
  [
    ...['id', 'chain', 'address', 'txHash', 'ordinal', 'fromAddress', 'asset', 'units', 'amount', 'paidBy'],
    ...['reference', 'blockNumber', 'blockHash', 'blockAt', 'createdAt'],
  ],
);
const scans = () => table('station_scans');

export interface TopupFilter {
  chain?: string | undefined;
  address?: string | undefined;
  paidBy?: Payer | undefined;
}

/** Lists top-ups, newest first. */
export const listTopups = (sql: Sql, filter: TopupFilter, page: IdPage): Promise<StationTopup[]> =>
  topups.all(sql, topups().modify(filtered, filter).modify(newestFirst, page));

/** @returns undefined when the top-up is recorded already */
export function insertTopup(
  tx: Sql,
  given: Omit<StationTopup, 'createdAt'>,
): Promise<StationTopup | undefined> {
  const row = { ...topups.row(given), createdAt: NOW };
  const once = topups().insert(row).onConflict(['chain', 'txHash', 'ordinal', 'address']).ignore();
  return topups.writtenOne(tx, once);
}

interface Scanned {
  chain: string;
  address: string;
}

/** Last block that was read for an address. Undefined when none was. */
export async function scannedTo(sql: Sql, { chain, address }: Scanned): Promise<number | undefined> {
  const [row] = await sql.run<{ scannedTo: string }>(scans().select('scannedTo').where({ chain, address }));
  return row && Number(row.scannedTo);
}

/**
 * Starts a station's scan at the head, so that earlier transfers are not looked for. A running scan continues where it
 * is.
 */
export async function beginScan(
  tx: Sql,
  { head, ...of }: Scanned & { head: number | undefined },
): Promise<void> {
  if (head === undefined) return;
  const row = { ...of, scannedTo: head, updatedAt: NOW };
  await tx.run(scans().insert(row).onConflict(['chain', 'address']).ignore());
}

/** Moves scans back to a block, because a reorganisation replaced the later ones. */
export async function scanAgain(tx: Sql, chain: string, above: number): Promise<void> {
  await tx.run(scans().where({ chain }).where('scannedTo', '>', above).update({ scannedTo: above }));
}

/** @param restart the chain is shorter than the blocks read before, so it is another chain */
export async function saveScan(
  tx: Sql,
  { to, restart, ...of }: Scanned & { to: number; restart: boolean },
): Promise<void> {
  const row = { ...of, scannedTo: to, updatedAt: NOW };
  const further = raw('greatest(station_scans.scanned_to, excluded.scanned_to)');
  await tx.run(
    scans()
      .insert(row)
      .onConflict(['chain', 'address'])
      .merge({ scannedTo: restart ? to : further, updatedAt: NOW }),
  );
}
