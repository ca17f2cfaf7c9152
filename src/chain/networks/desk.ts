import { z } from 'zod';
import { decision } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list, pageOfAll } from '../../process/desk/list';
import { NETWORK_CHANGE, type NetworkChangeServices, networkChange } from './changes/two-people';
import type { Following } from './following';
import { listNetworks } from './operations';
import type { Network } from './record';

const columns = columnsOf<Network>();
const placeOf = ({ chain }: Network) => ({ since: new Date(0), id: chain });

/** The desk of the chains that are known, with their nodes, assets and confirmations. */
export const networkDesk = (services: NetworkChangeServices, following: Following): Desk =>
  defineDesk({
    name: 'network',
    title: 'Chains, with their nodes, assets and confirmations',
    lists: [
      list({
        name: 'networks',
        title: 'the networks of all chains by name',
        filters: z.object({}),
        columns: {
          chain: columns.text('chain', ({ chain }) => chain),
          name: columns.text('name', ({ name }) => name),
          chainId: columns.text('chain id', ({ chainId }) => chainId),
          assets: columns.text('assets', ({ assets }) => assets.map(({ symbol }) => symbol).join(' ')),
          confirmations: columns.text('confirmations', ({ confirmations }) => confirmations),
          status: columns.status('status', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
          version: columns.text('version', ({ version }) => version),
          updated: columns.time('updated', ({ updatedAt }) => updatedAt),
        },
        rows: async (page) => pageOfAll(await listNetworks(services.database), placeOf, page),
        place: placeOf,
        decisions: [NETWORK_CHANGE],
      }),
    ],
    decisions: [decision(networkChange(services, following))],
  });
