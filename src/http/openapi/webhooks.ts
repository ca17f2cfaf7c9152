import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import type { EventDocument } from '../../kernel/outbox/event-document';

/** The section `webhooks` of the OpenAPI document: one POST to the receiver for each event. */

const DELIVERY = `**Answer** any 2xx within 15 seconds, and work afterwards. Redirects are not followed.

**Verify** first, over the exact bytes of the body. Any library of [Standard Webhooks](https://www.standardwebhooks.com) checks
\`webhook-signature\` with the key of \`GET /v1/webhooks/signing-key\`. The client secret checks \`x-signature\`.

**Repeats** are possible, with the same body and the same \`webhook-id\`. Drop an event whose \`webhook-id\` you have stored.

**Order**: an endpoint gets its events in the order of their time, up to eight at once. A repeat comes later than its turn, so compare \`timestamp\`.

**Retries** follow after about 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 12 h; \`Retry-After\` is respected. Then the delivery is \`failed\`, and
\`POST /v1/events/{id}/resend\` or \`POST /v1/webhooks/resend\` sends it again. An endpoint that fails as a whole gets one event at a time as a
probe, and everything else when it answers again. A 410 disables it.`;

const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });

const HEADERS = z.object({
  'x-client-id': text('The tenant.', 'cli_01h455vb4pex5vsknk084sn02q'),
  'x-signature': text(
    'HMAC-SHA256 over the exact bytes of the body, keyed with the newest client secret. 64 lower-case hexadecimal digits.',
    '5f1d7d02c5f0f8c1a1de1e9b8ff5c2a3f0f3f7f0c0b7e1a8d7c6b5a493827160',
  ),
  'webhook-id': text(
    'Id of the event (`GET /v1/events/{id}`), the same in every attempt and every replay.',
    'evt_01jz0000008000000000000000',
  ),
  'webhook-timestamp': text('Time of the attempt, in seconds since 1970.', '1767225600'),
  'webhook-signature': text(
    '`v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. While a rotated secret overlaps, one ' +
      'signature for each secret, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  'x-idempotency-key': text(
    'Key of the API call that caused the event, if it had one.',
    'order-1',
  ).optional(),
});

export function webhooksOf(documents: readonly EventDocument[]): Record<string, ZodOpenApiPathItemObject> {
  return Object.fromEntries(documents.map((document) => [document.event, { post: operation(document) }]));
}

const operation = ({ event, type, description, data }: EventDocument): ZodOpenApiPathItemObject['post'] => ({
  operationId: operationIdOf(event),
  tags: ['Webhooks'],
  summary: event,
  description: `${description}\n\nRegistration type: \`${type}\`.\n\n${DELIVERY}`,
  security: [],
  requestParams: { header: HEADERS },
  requestBody: {
    required: true,
    content: { 'application/json': { schema: z.object({ event: z.literal(event), data }) } },
  },
  responses: {
    '2XX': { description: 'Delivered. The body of the answer is ignored.' },
    '410': { description: 'The endpoint is disabled until its URL is set again.' },
    default: { description: 'The delivery has failed and is repeated.' },
  },
});

/** `account.deposit.completed` → `onAccountDepositCompleted`. */
const operationIdOf = (event: string): string =>
  `on${event.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
