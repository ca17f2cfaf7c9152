import { z } from 'zod';
import { Reply, type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { identifier, text } from '../../../kernel/wire/schemas';
import { checkedAddress } from '../../../parties/chain/addresses';
import type { Services } from '../../../services';
import { GUARDED } from '../guarded';
import { PAYERS } from './record';
import { applyScan, readScan } from './scan';
import { listTopups } from './store';
import { scanSchema, scanView, stationTopupSchema, stationTopupView } from './view';

const path = '/v1/gas-station/station-topups';

/** Routes of station top-ups (`interface.md 4.1`, Gas station). */
export const stationTopupRoutes = (services: Services): Route[] => [listRoute(services), scanRoute(services)];

/** Checksums an address. A malformed one stays as it is, and so matches no top-up. */
const inOurSpelling = (address: string | undefined): string | undefined =>
  address && (checkedAddress('evm', address) ?? address);

const listRoute = ({ database }: Services): Route =>
  route({
    ...{ method: 'GET', path, ...GUARDED },
    summary: 'List station top-up records',
    description: 'Native coin that has come to stations from elsewhere, as scans have found and booked it.',
    query: z.object({
      ...{ ...pageQuery, chain: text(100).optional(), paidBy: z.enum(PAYERS).optional() },
      address: text(100).optional().transform(inOurSpelling).describe('Of a station.'),
    }),
    response: pageSchema(stationTopupSchema),
    async read({ query }) {
      const { page, limit, filter } = idPage(query, 'stationTopup');
      return pageById(await listTopups(database, filter, page), limit, stationTopupView);
    },
  });

const scanRoute = (services: Services): Route =>
  route({
    ...{ method: 'POST', path: `${path}/scan`, ...GUARDED },
    summary: 'Scan for station top-ups',
    description:
      'Reads the blocks since the last scan, 500 at most, for native coin that has come to the station, and books what is ' +
      'final (201; 200 where there is nothing to book); it may be called as often as one likes. Each transfer is booked once. What a contract passes on in its own call ' +
      'is in no block’s list, and is not found.',
    body: z.strictObject({
      chain: identifier('local'),
      address: text(100)
        .optional()
        .describe(
          'A station of before; absent: the present one. Those that are wallets of ours are scanned by themselves.',
        ),
      fromBlock: z
        .int('must be a whole number')
        .min(0)
        .optional()
        .describe(
          'Reads from that block on once more, or for the first time: from before the station was set.',
        ),
    }),
    response: scanSchema,
    status: 201,
    mayExist: true,
    problems: ['invalid_transition', 'unavailable'],
    prepare: ({ body: { chain, address, fromBlock } }) =>
      readScan(services, services.database, { chain, address, from: fromBlock }),
    async write(tx, request, scan) {
      const shown = scanView(scan, await applyScan(tx, scan));
      await audit(tx, {
        ...request,
        ...{ action: 'gas-station.scan', subject: scan.network.chain, tenantId: null },
        after: { address: shown.address, toBlock: shown.toBlock, found: shown.found.map(({ id }) => id) },
      });
      return new Reply(shown.found.length > 0 ? 201 : 200, shown);
    },
  });
