import { z } from 'zod';
import { REGISTRATIONS } from '../../kernel/outbox/events';
import { instant } from '../../kernel/wire/schemas';
import { shownUrl } from '../../kernel/wire/web-url';
import { ENDPOINT_STATUSES, type Endpoint } from './record';

export const webhookSchema = z.object({
  type: z.enum(REGISTRATIONS),
  url: shownUrl(),
  status: z.enum(ENDPOINT_STATUSES).meta({
    description:
      'failing: 5 attempts in a row or half of the last 20 failed. Retries of a refused event do not count. Events wait, and one ' +
      'at a time is tried. disabled: the endpoint answered 410 or has accepted nothing for 7 days. Events are parked until the ' +
      'URL is set again.',
  }),
  createdAt: instant(),
});

export type Webhook = z.infer<typeof webhookSchema>;

/** The endpoint in the wire format. */
export function webhookView(endpoint: Endpoint): Webhook {
  const { registration, url, status, createdAt } = endpoint;
  return { type: registration, url, status, createdAt: createdAt.toISOString() };
}
