import { z } from 'zod';
import { Reply, type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { identifier, text } from '../../../kernel/wire/schemas';
import { checkedAddress } from '../../../parties/chain/addresses';
import type { Services } from '../../../services';
import { GUARDED, GUARDED_READ } from '../guarded';
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
    method: 'GET',
    path,
    ...GUARDED_READ,
    summary: 'List station top-up records',
    description: 'Booked arrivals of native coin at stations, except from top-up operations.',
    query: z.object({
      ...pageQuery,
      chain: text(100).optional(),
      paidBy: z.enum(PAYERS).optional(),
      address: text(100).optional().transform(inOurSpelling).describe('Address of a station.'),
    }),
    response: pageSchema(stationTopupSchema),
    async read({ query }) {
      const { page, limit, filter } = idPage(query, 'stationTopup');
      return pageById(await listTopups(database, filter, page), limit, stationTopupView);
    },
  });

const scanRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: `${path}/scan`,
    scope: 'manage',
    ...GUARDED,
    summary: 'Scan for station top-ups',
    description:
      'Reads the blocks since the last scan, at most 500, for native coin that arrived at the station. Books final transfers, and ' +
      'answers 201, or 200 when there is nothing to book. May be repeated freely, because each transfer is booked once. Coin that a ' +
      'contract passes on within its own call appears in no block, and is not found.',
    body: z.strictObject({
      chain: identifier('local'),
      address: text(100)
        .optional()
        .describe(
          'A former station; absent: the present one. Our own station wallets are scanned automatically.',
        ),
      fromBlock: z
        .int('must be a whole number')
        .min(0)
        .optional()
        .describe(
          'First block to read, to repeat a scan or to include blocks from before the station was set.',
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
        action: 'gas-station.scan',
        subject: scan.network.chain,
        tenantId: null,
        after: { address: shown.address, toBlock: shown.toBlock, found: shown.found.map(({ id }) => id) },
      });
      return new Reply(shown.found.length > 0 ? 201 : 200, shown);
    },
  });
