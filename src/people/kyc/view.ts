import { z } from 'zod';
import type { Caller } from '../../kernel/caller';
import { FILE_TYPES } from '../../kernel/wire/file-type';
import { instant } from '../../kernel/wire/schemas';
import { KYC_STATUSES } from '../users/record';
import type { ApprovedKyc } from './approvals';
import type { Kyc } from './operations';
import type { KycDocument } from './record';
import { KYC_DOCUMENT_STATUSES, KYC_SLOTS } from './record';

export const documentSchema = z.object({
  id: z.string().meta({ examples: ['doc_01h455vb4pex5vsknk084sn02q'] }),
  userId: z.string(),
  slot: z.enum(KYC_SLOTS),
  contentType: z.enum(FILE_TYPES),
  size: z.number().int().meta({ description: 'Bytes.' }),
  sha256: z.string().meta({ description: 'Of the content, in hexadecimal.' }),
  status: z.enum(KYC_DOCUMENT_STATUSES),
  note: z.string().optional(),
  createdAt: instant(),
  updatedAt: instant(),
});

/** The document as the wire shows it. */
export function documentView(document: KycDocument): z.infer<typeof documentSchema> {
  const { id, userId, slot, contentType, size, sha256, status } = document;
  return {
    ...{ id, userId, slot, contentType, size, sha256, status },
    note: document.note ?? undefined,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}

export const kycSchema = z.object({
  userId: z.string(),
  status: z.enum(KYC_STATUSES),
  reason: z.string().optional(),
  documents: z.array(documentSchema),
  submissions: z.number().int(),
  submittedAt: instant().optional(),
  decidedAt: instant().optional(),
  approved: z
    .object({
      submission: z.number().int(),
      approvedAt: instant(),
      documents: z.array(z.object({ slot: z.enum(KYC_SLOTS), documentId: z.string() })),
      changed: z.array(z.string()),
    })
    .optional()
    .meta({
      description:
        'The version that the last completed review approved, and the fields and slots that differ now: shown to operators only.',
    }),
  notes: z.string().optional().meta({ description: "The operator's own: shown to operators only." }),
});

/** A user's KYC as the wire shows it; the notes to nobody but an operator. */
export function kycView(
  { user, documents, review, notes, approved }: Kyc,
  { role }: Pick<Caller, 'role'>,
): z.infer<typeof kycSchema> {
  return {
    userId: user.id,
    status: user.kycStatus,
    reason: review?.reason ?? undefined,
    documents: documents.map(documentView),
    submissions: review?.submission ?? 0,
    submittedAt: review?.submittedAt.toISOString(),
    decidedAt: review?.decidedAt?.toISOString(),
    notes: role === 'admin' ? notes : undefined,
    approved: role === 'admin' ? approved && approvedView(approved) : undefined,
  };
}

/** Names and ids: the values are personal data. */
const approvedView = ({ submission, approvedAt, documents, changed }: ApprovedKyc) => ({
  ...{ submission, approvedAt: approvedAt.toISOString(), documents, changed },
});
