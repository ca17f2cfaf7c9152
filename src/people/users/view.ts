import { z } from 'zod';
import { instant } from '../../kernel/wire/schemas';
import { KYC_STATUSES, USER_STATUSES, type User } from './record';

export const userSchema = z.object({
  id: z.string().meta({ examples: ['usr_01h455vb4pex5vsknk084sn02q'] }),
  externalId: z.string().optional(),
  status: z.enum(USER_STATUSES),
  statusReason: z.string().optional(),
  meta: z.record(z.string(), z.unknown()),
  kycStatus: z.enum(KYC_STATUSES),
  createdAt: instant(),
  updatedAt: instant(),
});

/** The user as the wire shows it. */
export function userView(user: User) {
  return {
    id: user.id,
    externalId: user.externalId ?? undefined,
    status: user.status,
    // Of the client's own status: what the operator says of a block is for operators.
    statusReason: (user.status === user.clientStatus && user.statusReason) || undefined,
    meta: user.meta,
    kycStatus: user.kycStatus,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}
