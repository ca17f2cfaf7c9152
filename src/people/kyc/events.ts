import { z } from 'zod';
import { newId } from '../../kernel/ids';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { instant } from '../../kernel/wire/schemas';
import { KYC_STATUSES, type KycStatus, type User } from '../users/record';

export const kycStatusDocument: EventDocument = {
  event: 'kyc.status_changed',
  type: 'kyc',
  description: "The status of a user's KYC has changed.",
  data: z
    .object({
      id: z.string().meta({ description: 'Id of the event.' }),
      userId: z.string(),
      status: z.enum(KYC_STATUSES),
      previousStatus: z.enum(KYC_STATUSES),
      reason: z.string().optional().meta({ description: 'Reason of the operator, if one was given.' }),
      timestamp: instant().describe('Time of the change.'),
    })
    .meta({ id: 'KycStatusEvent', description: 'Data of a `kyc.status_changed`.' }),
};

/** `kyc.status_changed` (decisions part 4, Users' KYC). `id` identifies the event. */
export function statusChangedEvent(
  user: User,
  previousStatus: KycStatus,
  reason: string | null,
  idempotencyKey: string | null | undefined,
): WebhookEvent {
  return {
    tenantId: user.tenantId,
    registration: 'kyc',
    event: 'kyc.status_changed',
    data: {
      id: newId('event'),
      userId: user.id,
      status: user.kycStatus,
      previousStatus,
      reason: reason ?? undefined,
      timestamp: user.updatedAt.toISOString(),
    },
    at: user.updatedAt,
    idempotencyKey,
  };
}
