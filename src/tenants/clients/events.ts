import { z } from 'zod';
import { newId } from '../../kernel/ids';
import type { EventDocument } from '../../kernel/outbox/event-document';
import type { WebhookEvent } from '../../kernel/outbox/events';
import { SCOPES } from '../../kernel/scopes';
import { instant } from '../../kernel/wire/schemas';
import type { SecretTerms } from './record';

const fields = {
  id: z.string().meta({ description: 'Id of the event.' }),
  clientId: z.string(),
  timestamp: instant(),
};
const name = z.string().meta({ description: 'Name of the secret. `main` signs webhooks.' });

const secretRotatedDocument: EventDocument = {
  event: 'client.secret_rotated',
  type: 'account',
  description:
    'A client secret was replaced, by the client or the operator. After a rotation of `main`, `x-signature` is made with the new ' +
    'secret, and `webhook-signature` with both until the overlap ends.',
  data: z
    .object({
      id: fields.id,
      clientId: fields.clientId,
      overlapEndsAt: instant()
        .nullable()
        .meta({ description: 'Until then the old secret authenticates. Null when it has ended already.' }),
      timestamp: fields.timestamp.describe('Time of the rotation.'),
      name,
    })
    .meta({ id: 'SecretRotatedEvent', description: 'Data of a `client.secret_rotated`.' }),
};

const secretAddedDocument: EventDocument = {
  event: 'client.secret_added',
  type: 'account',
  description:
    'The operator added a client secret beside the others. Ask the operator at once when you did not expect it.',
  data: z
    .object({
      ...fields,
      name,
      scopes: z.array(z.enum(SCOPES)).nullable().meta({ description: 'Scopes of the secret. Null: all.' }),
      addresses: z
        .array(z.string())
        .nullable()
        .meta({ description: 'Addresses and networks that the secret may come from. Null: any.' }),
    })
    .meta({ id: 'SecretAddedEvent', description: 'Data of a `client.secret_added`.' }),
};

const secretRevokedDocument: EventDocument = {
  event: 'client.secret_revoked',
  type: 'account',
  description: 'The operator ended client secrets before their time. Ended secrets authenticate no longer.',
  data: z
    .object({
      ...fields,
      name,
      live: z.int().min(0).meta({ description: 'Number of secrets of this name that still authenticate.' }),
    })
    .meta({ id: 'SecretRevokedEvent', description: 'Data of a `client.secret_revoked`.' }),
};

/** The events of secrets, for the OpenAPI document. */
export const SECRET_DOCUMENTS: readonly EventDocument[] = [
  secretRotatedDocument,
  secretAddedDocument,
  secretRevokedDocument,
];

function secretEvent(event: string, clientId: string, at: Date, more: object): WebhookEvent {
  const data = { id: newId('event'), clientId, ...more };
  return { tenantId: clientId, registration: 'account', event, data, at };
}

/**
 * `client.secret_rotated` (decisions part 4, Webhooks).
 * @param rotated.overlapEndsAt null when no old secret authenticates
 */
export function secretRotatedEvent(
  clientId: string,
  { name: of, overlapEndsAt }: { name: string; overlapEndsAt: string | null },
  at: Date,
): WebhookEvent {
  const timestamp = at.toISOString();
  return secretEvent('client.secret_rotated', clientId, at, { overlapEndsAt, timestamp, name: of });
}

/** `client.secret_added`, without the secret. */
export function secretAddedEvent(
  clientId: string,
  { name: of, scopes, addresses }: SecretTerms & { name: string },
  at: Date,
): WebhookEvent {
  const timestamp = at.toISOString();
  return secretEvent('client.secret_added', clientId, at, { timestamp, name: of, scopes, addresses });
}

/** `client.secret_revoked`, one a name. */
export function secretRevokedEvent(
  clientId: string,
  { name: of, live }: { name: string; live: number },
  at: Date,
): WebhookEvent {
  return secretEvent('client.secret_revoked', clientId, at, { timestamp: at.toISOString(), name: of, live });
}
