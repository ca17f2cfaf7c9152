import { z } from 'zod';
import { instant } from '../../kernel/wire/schemas';
import { KYC_SLOTS } from '../kyc/record';
import { maskEmail } from './masking';
import type { Cardholder } from './record';
import { CARDHOLDER_STATUSES } from './record';

export const cardholderSchema = z.object({
  id: z.string().meta({ examples: ['chd_01h455vb4pex5vsknk084sn02q'] }),
  userId: z.string().optional(),
  accountId: z.string(),
  bin: z.string(),
  model: z.enum(['B2B', 'B2C']),
  status: z.enum(CARDHOLDER_STATUSES),
  description: z.string().optional(),
  submissions: z.number().int(),
  documents: z.array(z.object({ slot: z.enum(KYC_SLOTS), documentId: z.string() })),
  reviewedAt: instant().optional(),
  maskedName: z.string().meta({ examples: ['J*** D**'] }),
  maskedEmail: z.string().meta({ examples: ['j***@example.com'] }),
  createdAt: instant(),
  updatedAt: instant(),
});

/**
 * A cardholder on the wire. The person's data is masked. Only cardholders on B2C BINs have documents, copied from KYC.
 */
export function cardholderView(cardholder: Cardholder): z.infer<typeof cardholderSchema> {
  return {
    id: cardholder.id,
    userId: cardholder.userId ?? undefined,
    accountId: cardholder.accountId,
    bin: cardholder.bin,
    model: cardholder.model,
    status: cardholder.status,
    description: cardholder.description ?? undefined,
    submissions: cardholder.submissions,
    documents: cardholder.documents.map(({ slot, documentId }) => ({ slot, documentId })),
    reviewedAt: cardholder.reviewedAt?.toISOString(),
    maskedName: cardholder.maskedName,
    maskedEmail: maskEmail(cardholder.email),
    createdAt: cardholder.createdAt.toISOString(),
    updatedAt: cardholder.updatedAt.toISOString(),
  };
}
