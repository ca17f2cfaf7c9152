import type { Sql } from '../../../kernel/db/database';
import { forEachIsolated } from '../../../kernel/for-each-isolated';
import type { Services } from '../../../services';
import { enabledNetworks } from '../../networks/operations';
import { nativeSymbol } from '../rules';
import { stationsScanned } from './beside-books';
import { applyScan, readScan } from './scan';

/**
 * Scans the stations of every enabled chain that can be asked, so that the books know their money before it is spent; those of before
 * too, where they are wallets of ours: people pay to an address for long. Of a native coin that the ledger does not know nothing can be
 * booked.
 * @returns how many top-ups were booked
 */
export async function scanStations(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'log'>,
): Promise<number> {
  const { database, log } = services;
  const stations = await stationsToScan(database);
  let booked = 0;
  await forEachIsolated(
    stations,
    async (station) => {
      const scan = await readScan(services, database, station);
      booked += (await database.transaction((tx) => applyScan(tx, scan))).length;
    },
    { log, failed: 'a station could not be scanned', ids: ({ chain, address }) => ({ chain, address }) },
  );
  return booked;
}

async function stationsToScan(sql: Sql): Promise<{ chain: string; address: string }[]> {
  const found = [];
  for (const network of await enabledNetworks(sql)) {
    const { chain } = network;
    if (nativeSymbol(network) === undefined) continue;
    for (const address of await stationsScanned(sql, chain)) found.push({ chain, address });
  }
  return found;
}
