import { z } from 'zod';
import { newId } from '../../kernel/ids';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { instant } from '../../kernel/wire/schemas';

export const secretRotatedDocument: EventDocument = {
  event: 'client.secret_rotated',
  type: 'account',
  description:
    'The client secret was replaced, by the client or the operator. `x-signature` is made with the new secret from now on, and ' +
    '`webhook-signature` with both until the overlap ends.',
  data: z
    .object({
      id: z.string().meta({ description: 'Id of the event.' }),
      clientId: z.string(),
      overlapEndsAt: instant()
        .nullable()
        .meta({ description: 'Until then the old secret authenticates. Null when it has ended already.' }),
      timestamp: instant().describe('Time of the rotation.'),
    })
    .meta({ id: 'SecretRotatedEvent', description: 'Data of a `client.secret_rotated`.' }),
};

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
