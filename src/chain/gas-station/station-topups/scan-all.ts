import { forEachIsolated } from '../../../kernel/for-each-isolated';
import { isAsked } from '../../../parties/chain/witness';
import type { Services } from '../../../services';
import { listNetworks } from '../../networks/operations';
import { findGasConfig } from '../config/operations';
import { applyScan, readScan } from './scan';

/**
 * Scans every enabled chain that has a station and can be asked, so that the books know its money before it is spent.
 * @returns how many top-ups were booked
 */
export async function scanStations(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'log'>,
): Promise<number> {
  const { database, log } = services;
  const networks = (await listNetworks(database)).filter((network) => network.enabled && isAsked(network));
  let booked = 0;
  await forEachIsolated(
    networks,
    async ({ chain }) => {
      if (!(await findGasConfig(database, chain))?.stationAddress) return;
      const scan = await readScan(services, database, { chain });
      booked += (await database.transaction((tx) => applyScan(tx, scan))).length;
    },
    { log, failed: 'a station could not be scanned', ids: ({ chain }) => ({ chain }) },
  );
  return booked;
}
