import { z } from 'zod';
import { newId } from '../../kernel/ids';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { instant } from '../../kernel/wire/schemas';
import { CARDHOLDER_STATUSES, type Cardholder, type CardholderStatus } from './record';

const status = z.enum(CARDHOLDER_STATUSES);

export const cardholderStatusDocument: EventDocument = {
  event: 'cardholder.status_changed',
  type: 'cardholder',
  description: 'The status of a cardholder has changed, for instance by the review.',
  data: z
    .object({
      id: z.string().meta({ description: 'Id of the event.' }),
      cardholderId: z.string(),
      userId: z.string().nullable(),
      bin: z.string(),
      status,
      previousStatus: status.nullable().meta({ description: 'Null for a new cardholder.' }),
      description: z
        .string()
        .optional()
        .meta({ description: 'The reason, when a submission failed or was rejected.' }),
      timestamp: instant().describe('Time of the change.'),
    })
    .meta({ id: 'CardholderStatusEvent', description: 'Data of a `cardholder.status_changed`.' }),
};

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
