import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebhookEvent, webhookListener } from '../../client/src';
import type { Credential } from '../support/api';

export interface Receiver {
  url: string;
  /** The distinct events so far. */
  events(): WebhookEvent[];
  /** Number of deliveries with a wrong signature. */
  forged(): number;
  close(): Promise<void>;
}

/**
 * Starts a webhook endpoint as `interface.md 6.1` describes, which keeps each event once.
 * @param heard called for each new event
 */
export async function startReceiver(
  { clientSecret }: Credential,
  heard: (event: WebhookEvent) => void,
): Promise<Receiver> {
  const events = new Map<string, WebhookEvent>();
  let forged = 0;

  function take(event: WebhookEvent): void {
    const id = `${event.event} ${event.data.id}`;
    if (!events.has(id)) heard(event);
    events.set(id, event);
  }
  const refused = () => {
    forged += 1;
  };
  const server = createServer(webhookListener(clientSecret, take, { refused }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events: () => [...events.values()],
    forged: () => forged,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
