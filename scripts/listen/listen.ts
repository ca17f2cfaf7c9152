import { setTimeout as sleep } from 'node:timers/promises';
import { cardwright, type InputOf, type Schemas } from '../../client/src';
import { envelope, signedHeaders, standardKeyOf } from '../../src/tenants/webhooks/delivery/signature';
import type { Credential } from '../support/api';

type Event = Schemas['Event'];

export interface Listening {
  /** Base URL of the API. */
  api: string;
  credential: Credential;
  /** Where events are posted. */
  forward: string;
  /** Only events of this webhook type. */
  type?: string;
  /** Receives a line for each event. */
  say(line: string): void;
}

const POLL_MS = 500;
/** Each poll looks back this far, because an event may commit after a later one. Milliseconds. */
const LOOK_BACK_MS = 10_000;
const TIMEOUT_MS = 15_000;
/** Pauses before a failed post is repeated. Milliseconds. Later events wait, so that the order holds. */
const RETRY_MS = [500, 2_000, 5_000];

/** Tails the tenant's events from now on, and posts each once to the local port, in the order of their time. */
export function listen(listening: Listening): { ended: Promise<void>; stop(): void } {
  const stopping = new AbortController();
  return { ended: tail(listening, stopping.signal), stop: () => stopping.abort() };
}

async function tail(listening: Listening, stopped: AbortSignal): Promise<void> {
  let seen = new Set((await eventsSince(listening, new Date(Date.now() - LOOK_BACK_MS))).map(({ id }) => id));
  let newest = Date.now();
  listening.say(`Listening. Events of ${listening.credential.clientId} go to ${listening.forward}.`);
  while (!stopped.aborted) {
    const events = await eventsSince(listening, new Date(newest - LOOK_BACK_MS)).catch(away(listening));
    for (const event of events) {
      if (seen.has(event.id) || stopped.aborted) continue;
      seen.add(event.id);
      newest = Math.max(newest, Date.parse(event.createdAt));
      await forward(listening, event, stopped);
    }
    // An event before the next look back never comes again.
    if (events.length > 0) seen = new Set(events.map(({ id }) => id));
    await pause(POLL_MS, stopped);
  }
}

/** The product may restart while somebody listens. */
const away =
  ({ say }: Listening) =>
  (error: Error): Event[] => {
    say(`The API did not answer: ${error.message}`);
    return [];
  };

/** All events since a moment, oldest first. */
async function eventsSince({ api, credential, type }: Listening, from: Date): Promise<Event[]> {
  const client = cardwright({ baseUrl: api, ...credential, patienceMs: 0 });
  const query = { from: from.toISOString(), type } as InputOf<'listEvents'>['query'];
  const events: Event[] = [];
  for await (const event of client.each('listEvents', { query })) events.push(event);
  return events.reverse();
}

async function forward(listening: Listening, event: Event, stopped: AbortSignal): Promise<void> {
  for (const wait of [...RETRY_MS, null]) {
    const answer = await post(listening, event);
    listening.say(`${event.createdAt} ${event.event} ${event.id} → ${answer.text}`);
    if (answer.ok || wait === null || stopped.aborted) return;
    await pause(wait, stopped);
  }
}

/** Posts an event with the headers and the bytes of a webhook. */
async function post(
  { credential: { clientId, clientSecret }, forward: url }: Listening,
  { id, body }: Event,
): Promise<{ ok: boolean; text: string }> {
  // The bytes are those of the webhook, because the product renders its data by JSON.stringify, too.
  const bytes = envelope(body.event, JSON.stringify(body.data));
  const secret = Buffer.from(clientSecret);
  const keys = { secret, standard: [standardKeyOf(secret)] };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-client-id': clientId,
        ...signedHeaders({ id, body: bytes, at: new Date() }, keys),
      },
      body: new Uint8Array(bytes),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { ok: response.ok, text: String(response.status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { ok: false, text: cause?.code ?? message };
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);
