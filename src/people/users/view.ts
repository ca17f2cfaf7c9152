import { z } from 'zod';
import { instant } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { storedMetaSchema } from './meta';
import { KYC_STATUSES, USER_STATUSES, type User } from './record';
import { type Keys, personOf } from './sealed';

export const userSchema = z
  .object({
    id: z.string().meta({ examples: ['usr_01h455vb4pex5vsknk084sn02q'] }),
    externalId: z.string().optional(),
    status: z.enum(USER_STATUSES),
    statusReason: z.string().optional(),
    meta: storedMetaSchema,
    kycStatus: z.enum(KYC_STATUSES),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'User' });

/** A user on the wire. */
export const userView = (keys: Keys, user: User) =>
  shown(userSchema, personOf(keys, user), {
    // The reason of the client's own status. The operator's reason of a block is for operators only.
    statusReason: (user.status === user.clientStatus && user.statusReason) || null,
  });
