import { z } from 'zod';
import { REGISTRATIONS } from '../../kernel/outbox/events';
import { instant } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { shownUrl } from '../../kernel/wire/web-url';
import { ENDPOINT_STATUSES, type Endpoint } from './record';

export const webhookSchema = z
  .object({
    type: z.enum(REGISTRATIONS),
    url: shownUrl(),
    status: z.enum(ENDPOINT_STATUSES).meta({
      description:
        '`failing`: 5 attempts in a row or half of the last 20 failed. Retries of a refused event do not count. Events wait, and one ' +
        'at a time is tried. `disabled`: the endpoint answered 410 or has accepted nothing for 7 days. Events are parked until the ' +
        'URL is set again.',
    }),
    createdAt: instant(),
  })
  .meta({ id: 'Webhook' });

export type Webhook = z.infer<typeof webhookSchema>;

/** The endpoint in the wire format. */
export const webhookView = (endpoint: Endpoint): Webhook =>
  shown(webhookSchema, endpoint, { type: endpoint.registration });
