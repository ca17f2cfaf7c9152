import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UntrustedWebhook, verifyWebhook, type WebhookEvent, webhookListener } from '../../client/src';
import {
  envelope,
  shownKey,
  signedHeaders,
  standardKeyOf,
} from '../../src/tenants/webhooks/delivery/signature';

/** The kit verifies what the product signs. */

const SECRET = 'a client secret';
const OLD = 'its secret before the rotation';
const AT = new Date('2026-11-26T09:00:00.000Z');
const DATA = { id: 'ctx_1', type: 'authorization', name: 'Ærø – "x"' };
const body = envelope('card_transaction', JSON.stringify(DATA));
const standardOf = (secret: string) => standardKeyOf(Buffer.from(secret));
const signed = signedHeaders(
  { id: 'evt_1', body, at: AT },
  { secret: Buffer.from(SECRET), standard: [standardOf(SECRET), standardOf(OLD)] },
);
const key = (secret: string) => shownKey(standardOf(secret));
const at = (seconds: number) => ({ now: new Date(AT.getTime() + seconds * 1_000) });

it.each([
  ['a client secret, by x-signature', SECRET],
  ['the signing key, by Standard Webhooks', key(SECRET)],
  ['the key of an overlapping secret', key(OLD)],
  ['one of several keys', ['another', key('another'), SECRET]],
])('trusts %s', (_, keys) => {
  expect(verifyWebhook(body, signed, keys, at(10))).toEqual({ event: 'card_transaction', data: DATA });
  expect(verifyWebhook(new Uint8Array(body), new Headers(signed), keys, at(-10))).toMatchObject({
    data: DATA,
  });
});

it.each<[string, Buffer, Record<string, string>, string, number]>([
  ['other bytes', Buffer.from(body.toString().replace('ctx_1', 'ctx_2')), signed, SECRET, 0],
  ['other bytes', Buffer.from(body.toString().replace('ctx_1', 'ctx_2')), signed, key(SECRET), 0],
  ['another secret', body, signed, 'another', 0],
  ['another key', body, signed, key('another'), 0],
  ['an old secret, which x-signature does not have', body, signed, OLD, 0],
  ['another id', body, { ...signed, 'webhook-id': 'evt_2' }, key(SECRET), 0],
  ['an old attempt', body, signed, key(SECRET), 301],
  ['an attempt of the future', body, signed, key(SECRET), -301],
  ['no time', body, { ...signed, 'webhook-timestamp': '' }, key(SECRET), 0],
  ['no headers', body, {}, SECRET, 0],
  ['no headers', body, {}, key(SECRET), 0],
])('refuses %s', (_, bytes, headers, keys, seconds) => {
  expect(() => verifyWebhook(bytes, headers, keys, at(seconds))).toThrow(UntrustedWebhook);
});

it('listens: 204 for a stored event, 401 for a forged one, 500 for one that could not be stored', async () => {
  const taken: WebhookEvent[] = [];
  const refused: Error[] = [];
  let isFull = false;
  async function take(event: WebhookEvent): Promise<void> {
    if (isFull) throw new Error('the disk is full');
    taken.push(event);
  }
  const server = createServer(webhookListener(SECRET, take, { refused: (error) => refused.push(error) }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = async (headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status;
  expect(await post(signed)).toBe(204);
  expect(await post({ ...signed, 'x-signature': 'f'.repeat(64) })).toBe(401);
  isFull = true;
  expect(await post(signed)).toBe(500);
  expect(taken).toEqual([{ event: 'card_transaction', data: DATA }]);
  expect(refused.map(({ message }) => message)).toEqual([
    'No key has signed this webhook.',
    'the disk is full',
  ]);
  server.close();
});
