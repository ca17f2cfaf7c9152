import { z } from 'zod';
import type { Caller } from '../../kernel/caller';
import { FILE_TYPES } from '../../kernel/wire/file-type';
import { instant } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { KYC_STATUSES } from '../users/record';
import type { Kyc } from './operations';
import type { KycDocument } from './record';
import { KYC_DOCUMENT_STATUSES, KYC_SLOTS } from './record';

export const documentSchema = z
  .object({
    id: z.string().meta({ examples: ['doc_01h455vb4pex5vsknk084sn02q'] }),
    userId: z.string(),
    slot: z.enum(KYC_SLOTS),
    contentType: z.enum(FILE_TYPES),
    size: z.number().int().meta({ description: 'In bytes.' }),
    sha256: z.string().meta({ description: 'SHA-256 of the content, in hexadecimal.' }),
    status: z.enum(KYC_DOCUMENT_STATUSES),
    note: z.string().optional(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'KycDocument' });

/** A document on the wire. */
export const documentView = (document: KycDocument) => shown(documentSchema, document);

/** The approved version as names and ids, because the values are personal data. */
const approvedSchema = z
  .object({
    submission: z.number().int(),
    approvedAt: instant(),
    documents: z.array(z.object({ slot: z.enum(KYC_SLOTS), documentId: z.string() })),
    changed: z.array(z.string()),
  })
  .meta({ id: 'ApprovedKyc' });

export const kycSchema = z
  .object({
    userId: z.string(),
    status: z.enum(KYC_STATUSES),
    reason: z.string().optional(),
    documents: z.array(documentSchema),
    submissions: z.number().int(),
    submittedAt: instant().optional(),
    decidedAt: instant().optional(),
    notes: z.string().optional().meta({ description: 'The notes of operators. Only for operators.' }),
    approved: approvedSchema.optional().meta({
      description:
        'The version that the last completed review approved, with the fields and slots that have changed since. Only for operators.',
    }),
  })
  .meta({ id: 'Kyc' });

/** A user's KYC on the wire. Only an operator gets the notes and the approved version. */
export function kycView({ user, documents, review, notes, approved }: Kyc, { role }: Pick<Caller, 'role'>) {
  const reviewed = { ...review };
  return shown(kycSchema, reviewed, {
    userId: user.id,
    status: user.kycStatus,
    documents: documents.map(documentView),
    submissions: review?.submission ?? 0,
    notes: role === 'admin' ? notes : undefined,
    approved: role === 'admin' ? approved && shown(approvedSchema, approved) : undefined,
  });
}
