import type { Sql } from '../../../kernel/db/database';
import { stationWallets } from '../../wallets/operations';
import { findGasConfig } from '../config/operations';
import type { StationTopup } from './record';
import { scannedTo, topupsAbove } from './store';

/** What is known of money on its way to a chain's stations: for whoever compares the chain with the books. */
export interface TopupsBeside {
  /** Of each station that is scanned by itself, the last block that was read and was final. */
  scans: { address: string; scannedTo: number }[];
  /** What was booked of blocks above the least of those. */
  booked: Pick<StationTopup, 'txHash' | 'ordinal' | 'address'>[];
}

/** The stations of a chain that are scanned without a person: the present one, and those of before that are wallets of ours. */
export async function stationsScanned(sql: Sql, chain: string): Promise<string[]> {
  const present = (await findGasConfig(sql, chain))?.stationAddress;
  const own = (await stationWallets(sql, chain)).map(({ address }) => address);
  return [...new Set([...(present ? [present] : []), ...own])];
}

export async function topupsBeside(sql: Sql, chain: string): Promise<TopupsBeside> {
  const scans: TopupsBeside['scans'] = [];
  for (const address of await stationsScanned(sql, chain)) {
    const to = await scannedTo(sql, { chain, address });
    if (to !== undefined) scans.push({ address, scannedTo: to });
  }
  const first = Math.min(...scans.map((scan) => scan.scannedTo));
  return { scans, booked: scans.length === 0 ? [] : await topupsAbove(sql, chain, first) };
}
