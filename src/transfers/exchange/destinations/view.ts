import { z } from 'zod';
import { instant } from '../../../kernel/wire/schemas';
import { shown } from '../../../kernel/wire/shown';
import { destinationSchema } from '../../payouts/destinations/destination';
import { DESTINATION_STATUSES, statusAt, type WithdrawalDestination } from './record';

/** A destination in the API (decisions part 4, Exchange). */
export const withdrawalDestinationSchema = z
  .object({
    id: z.string().meta({ examples: ['wdd_01jz0000000000000000000000'] }),
    label: z.string().optional(),
    currency: z
      .string()
      .meta({ description: 'Currency of the accounts that may withdraw to this destination.' }),
    destination: destinationSchema
      .pick({ name: true, iban: true, bic: true, country: true, accountNumber: true })
      .meta({ description: 'Masked.' }),
    status: z.enum(DESTINATION_STATUSES).meta({ description: '`pending` until `activeFrom`.' }),
    activeFrom: instant(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'WithdrawalDestination' });

export const withdrawalDestinationView = (found: WithdrawalDestination, at: Date) =>
  shown(withdrawalDestinationSchema, found, {
    destination: found.destinationMasked,
    status: statusAt(found, at),
  });
