import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { invalid } from '../../kernel/errors';
import { identifier } from '../../kernel/wire/schemas';
import { requireCardholder } from '../../people/cardholders/operations';
import type { Services } from '../../services';
import { requireAdmittedBin } from '../programmes/operations';
import { BINS_DEPRECATED } from '../programmes/record';
import { capacityOf } from './capacity';

/** Tells how many cards a cardholder may have (`interface.md 4.1`, Bins; deprecated). */
export function capacityRoute({ database }: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/bins/{bin}/capacity',
    tag: 'Bins',
    capability: 'card_issuing',
    summary: 'Number of cards that a cardholder can still get',
    description:
      'Counts a cardholder’s cards that are neither closed nor failed, and those that may still be issued.',
    deprecated: BINS_DEPRECATED,
    query: z.object({ cardholderId: identifier('chd_01h455vb4pex5vsknk084sn02q').optional() }),
    response: z
      .object({
        bin: z.string(),
        cardholderId: z.string().optional(),
        limit: z.number().int().describe('Number of open cards that a cardholder can have on this BIN.'),
        used: z.number().int().describe('Open cards of the cardholder; without one, of all cardholders.'),
        remaining: z.number().int().describe('Number of cards that can still be issued.'),
      })
      .meta({ id: 'BinCapacity' }),
    async read({ params, query: { cardholderId }, caller }) {
      const bin = await requireAdmittedBin(database, caller.reach, params['bin'] ?? '');
      if (cardholderId !== undefined) {
        const holder = await requireCardholder(database, caller.reach, cardholderId, 'cardholderId');
        if (holder.bin !== bin.bin)
          throw invalid('cardholderId must be a cardholder on this BIN.', 'cardholderId');
      }
      return { bin: bin.bin, cardholderId, ...(await capacityOf(database, bin, cardholderId)) };
    },
  });
}
