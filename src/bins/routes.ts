import { z } from 'zod';
import { pageSchema, whole } from '../api/pages';
import { type Route, route } from '../api/route';
import { identifier } from '../api/schemas';
import { requireCardholder } from '../cardholders/operations';
import { invalid } from '../errors';
import type { Services } from '../services';
import { capacityOf } from './capacity';
import { listAdmittedBins, requireAdmittedBin } from './operations';
import { binRecord, binSchema } from './record';

const TAG = 'Bins';

/** The BIN catalogue (`interface.md 4.1`, deprecated): a tenant sees the BINs that it may issue on. */
export function binRoutes({ database }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/bins',
      tag: TAG,
      summary: 'BIN catalogue',
      deprecated: true,
      response: pageSchema(binSchema),
      read: async ({ caller }) => whole((await listAdmittedBins(database, caller.reach)).map(binRecord)),
    }),
    route({
      method: 'GET',
      path: '/v1/bins/{bin}/capacity',
      tag: TAG,
      summary: 'Per-cardholder issuance capacity on a BIN',
      description: 'How many cards that are neither closed nor failed a cardholder has, and may still have.',
      deprecated: true,
      query: z.object({ cardholderId: identifier('chd_01h455vb4pex5vsknk084sn02q').optional() }),
      response: z.object({
        bin: z.string(),
        cardholderId: z.string().optional(),
        limit: z.number().int(),
        used: z.number().int(),
        remaining: z.number().int(),
      }),
      async read({ params, query: { cardholderId }, caller }) {
        const bin = await requireAdmittedBin(database, caller.reach, params['bin'] ?? '');
        if (cardholderId !== undefined) {
          const holder = await requireCardholder(database, caller.reach, cardholderId, 'cardholderId');
          if (holder.bin !== bin.bin)
            throw invalid('cardholderId must be a cardholder on this BIN.', 'cardholderId');
        }
        return { bin: bin.bin, cardholderId, ...(await capacityOf(database, bin, cardholderId)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/bins/{bin}/cardholder-registration',
      tag: TAG,
      summary: 'Whether a new cardholder can be registered on the BIN now',
      deprecated: true,
      response: z.object({ bin: z.string(), open: z.boolean(), reason: z.string().optional() }),
      async read({ params, caller }) {
        const bin = await requireAdmittedBin(database, caller.reach, params['bin'] ?? '');
        if (bin.status === 'active') return { bin: bin.bin, open: true };
        return { bin: bin.bin, open: false, reason: 'The BIN is closed.' };
      },
    }),
  ];
}
