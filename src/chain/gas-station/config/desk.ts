import { z } from 'zod';
import type { Database } from '../../../kernel/db/database';
import { decision } from '../../../process/desk/decision';
import { type Desk, defineDesk } from '../../../process/desk/desk';
import { columnsOf, list, pageOfAll } from '../../../process/desk/list';
import { listNetworks } from '../../networks/operations';
import { requireGasConfig } from './operations';
import type { GasConfig } from './record';
import { GAS_CONFIG_CHANGE, gasConfigChange } from './two-people';

const columns = columnsOf<GasConfig>();
const placeOf = ({ chain }: GasConfig) => ({ since: new Date(0), id: chain });

/** The desk of the stations that pay for gas, and of the treasuries that receive what is swept. */
export const gasStationDesk = ({ database }: { database: Database }): Desk =>
  defineDesk({
    name: 'gas-station',
    title: 'Stations that pay for gas, and treasuries that receive what is swept',
    lists: [
      list({
        name: 'gas-stations',
        title: 'the gas station of each network',
        filters: z.object({}),
        columns: {
          chain: columns.text('chain', ({ chain }) => chain),
          station: columns.text('station', ({ stationAddress }) => stationAddress),
          treasury: columns.text('treasury', ({ treasuryAddress }) => treasuryAddress),
          nextTreasury: columns.text('next treasury', ({ nextTreasuryAddress }) => nextTreasuryAddress),
          from: columns.time('from', ({ nextTreasuryAt }) => nextTreasuryAt),
          status: columns.status('sweeps', ({ autoSweep }) => (autoSweep ? 'automatic' : 'by a person')),
          strategy: columns.text('strategy', ({ sweepStrategy }) => sweepStrategy),
          version: columns.text('version', ({ version }) => version),
        },
        async rows(page) {
          const networks = await listNetworks(database);
          const all: GasConfig[] = [];
          for (const network of networks) all.push(await requireGasConfig(database, network));
          return pageOfAll(all, placeOf, page);
        },
        place: placeOf,
        decisions: [GAS_CONFIG_CHANGE],
      }),
    ],
    decisions: [decision(gasConfigChange)],
  });
