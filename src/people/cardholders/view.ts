import { z } from 'zod';
import { instant } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { KYC_SLOTS } from '../kyc/record';
import type { Cardholder } from './record';
import { CARDHOLDER_STATUSES } from './record';

export const cardholderSchema = z
  .object({
    id: z.string().meta({ examples: ['chd_01h455vb4pex5vsknk084sn02q'] }),
    userId: z.string().optional(),
    accountId: z.string(),
    bin: z.string(),
    model: z.enum(['B2B', 'B2C']),
    status: z.enum(CARDHOLDER_STATUSES),
    description: z.string().optional().describe('Why a submission failed or was rejected.'),
    submissions: z.number().int(),
    documents: z.array(z.object({ slot: z.enum(KYC_SLOTS), documentId: z.string() })),
    reviewedAt: instant().optional(),
    maskedName: z.string().meta({ examples: ['J*** D**'] }),
    maskedEmail: z.string().meta({ examples: ['j***@example.com'] }),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Cardholder' });

/**
 * A cardholder on the wire. The person's data is masked. Only cardholders on B2C BINs have documents, copied from KYC.
 */
export const cardholderView = (cardholder: Cardholder) => shown(cardholderSchema, cardholder);
