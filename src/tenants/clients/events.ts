import { newId } from '../../kernel/ids';
import type { WebhookEvent } from '../../kernel/outbox/events';

/** `client.secret_rotated` (decisions part 4, Webhooks). `overlapEndsAt` is null when no old secret authenticates. */
export function secretRotatedEvent(clientId: string, overlapEndsAt: string | null, at: Date): WebhookEvent {
  return {
    tenantId: clientId,
    registration: 'account',
    event: 'client.secret_rotated',
    data: { id: newId('event'), clientId, overlapEndsAt, timestamp: at.toISOString() },
    at,
  };
}
