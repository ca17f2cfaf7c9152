import { z } from 'zod';
import type { EventIds } from '../../../kernel/outbox/event-id';
import { REGISTRATIONS } from '../../../kernel/outbox/events';
import { instant } from '../../../kernel/wire/schemas';
import { shownUrl } from '../../../kernel/wire/web-url';
import type { AttemptMade } from '../delivery/attempts';
import { envelope } from '../delivery/signature';
import type { StoredEvent } from './store';

const attemptSchema = z
  .object({
    at: instant().meta({ description: 'When the attempt began.' }),
    status: z
      .int()
      .optional()
      .meta({
        description: 'HTTP status of the answer. Absent when no answer came.',
        examples: [204],
      }),
    durationMs: z
      .int()
      .meta({ description: 'Milliseconds until the answer or the failure.', examples: [38] }),
    error: z
      .string()
      .optional()
      .meta({
        description:
          'Reason why the attempt failed: `http_` and the status, `timeout` after 15 seconds, `connection_refused`, `connection_lost`, ' +
          '`tls_failed`, `dns_failed` and others. Absent on success.',
        examples: ['http_500'],
      }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One attempt to deliver an event.' });

const deliverySchema = z
  .object({
    url: shownUrl(),
    status: z.enum(['due', 'delivered', 'failed', 'parked']).meta({
      description:
        '`due`: waits for its first attempt, or for the next one after a failure. `delivered`: the endpoint answered 2xx. `failed`: ' +
        'the retries are used up, or the event went to a later URL. `parked`: the URL was deleted or is disabled.',
    }),
    attempts: z.array(attemptSchema).meta({ description: 'The newest 20, newest first.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of an event to one URL.' });

export const eventSchema = z
  .object({
    id: z.string().meta({
      description: 'Id of the event. Every attempt and every replay has it as the header `webhook-id`.',
      examples: ['evt_01jz0000008000000000000000'],
    }),
    event: z.string().meta({
      description: 'Name of the event, as in `body`.',
      examples: ['card_transaction'],
    }),
    type: z.enum(REGISTRATIONS).meta({
      description: 'Type of the webhook URLs that receive the event (`POST /v1/webhooks`).',
    }),
    recordId: z.string().meta({
      description:
        'The record that the event is about. For `card_transaction` and `account_transaction`: their `referenceId`, by which ' +
        'the events of one operation belong together.',
      examples: ['ref_01h455vb4pex5vsknk084sn02q'],
    }),
    createdAt: instant(),
    body: z.object({ event: z.string(), data: z.record(z.string(), z.unknown()) }).meta({
      description: 'The body of the webhook. The section on webhooks describes `data` for each event.',
    }),
    deliveries: z.array(deliverySchema).meta({
      description:
        'A delivery for each URL, the present URL first. Empty while no URL of the type was ever set.',
    }),
  })
  .meta({ id: 'Event', description: 'A recorded event, with its deliveries.' });

export type EventView = z.infer<typeof eventSchema>;

export function eventView(stored: StoredEvent, ids: EventIds): EventView {
  const { event, registration, recordId, createdAt, data } = stored;
  return {
    id: ids.of(stored),
    event,
    type: registration,
    recordId,
    createdAt: createdAt.toISOString(),
    body: JSON.parse(envelope(event, data).toString()) as EventView['body'],
    deliveries: deliveriesOf(stored),
  };
}

/**
 * The deliveries by URL. The state of an event that has ended is that of the URL that was tried last. The state of any
 * other is that of the present URL.
 */
function deliveriesOf({ delivery, attemptsMade, urls: known, url }: StoredEvent): EventView['deliveries'] {
  const made = [...(attemptsMade ?? [])].reverse().map((each) => ({ ...each, url: known?.[each.url] ?? '' }));
  const hasEnded = delivery === 'delivered' || delivery === 'failed';
  const [first, second] = hasEnded ? [made[0]?.url, url] : [url, made[0]?.url];
  const present = delivery === 'recorded' ? [] : [first ?? second ?? []].flat();
  const urls = [...new Set([...present, ...made.map((attempt) => attempt.url)])];
  return urls.map((each, index) => {
    const attempts = made.filter((attempt) => attempt.url === each);
    const isPresent = index === 0 && delivery !== 'recorded';
    return {
      url: each,
      status: isPresent ? delivery : formerStatus(attempts),
      attempts: attempts.map(({ url: _, ...attempt }) => attempt),
    };
  });
}

const formerStatus = (attempts: Pick<AttemptMade, 'error'>[]) =>
  attempts.some(({ error }) => error === undefined) ? 'delivered' : 'failed';
