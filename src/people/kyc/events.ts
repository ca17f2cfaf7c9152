import { newId } from '../../kernel/ids';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { KycStatus, User } from '../users/record';

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
