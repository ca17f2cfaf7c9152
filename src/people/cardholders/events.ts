import { newId } from '../../kernel/ids';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { Cardholder, CardholderStatus } from './record';

/** `cardholder.status_changed` (decisions part 4, Cardholders). `id` identifies the event. */
export function statusChangedEvent(
  cardholder: Cardholder,
  previousStatus: CardholderStatus | null,
  idempotencyKey: string | null | undefined,
): WebhookEvent {
  const at = cardholder.updatedAt;
  return {
    tenantId: cardholder.tenantId,
    registration: 'cardholder',
    event: 'cardholder.status_changed',
    data: {
      id: newId('event'),
      cardholderId: cardholder.id,
      userId: cardholder.userId,
      bin: cardholder.bin,
      status: cardholder.status,
      previousStatus,
      description: cardholder.description ?? undefined,
      timestamp: at.toISOString(),
    },
    at,
    idempotencyKey,
  };
}
