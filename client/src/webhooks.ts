import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { webhooks } from './generated/api';

/** Webhooks as their receiver needs them: verified over the exact bytes, then parsed. */

type Events = {
  [Name in keyof webhooks]: webhooks[Name] extends {
    post: { requestBody: { content: { 'application/json': infer Event } } };
  }
    ? Event
    : never;
};

/** An event of the document. `event` tells which, and so the type of `data`. */
export type WebhookEvent<Name extends keyof webhooks = keyof webhooks> = Events[Name];

/** No key has signed these bytes, or the attempt is too old. Answer 401 and keep nothing. */
export class UntrustedWebhook extends Error {
  override readonly name = 'UntrustedWebhook';
}

/** Headers of Node, of `fetch`, or a plain object with lower-case names. */
export type GivenHeaders = Headers | Record<string, string | string[] | undefined>;

export interface Verifying {
  /** Largest difference between `webhook-timestamp` and the clock, in seconds. Default: 300. */
  toleranceSeconds?: number;
  now?: Date;
}

/**
 * Verifies a webhook over the exact bytes of its body.
 * @param keys each is a signing key (`whsec_…`), which verifies the headers of Standard Webhooks, or a client secret,
 * which verifies `x-signature`. One that fits is enough, so that old and new keys may overlap.
 * @throws UntrustedWebhook
 */
export function verifyWebhook(
  body: Uint8Array,
  headers: GivenHeaders,
  keys: string | readonly string[],
  verifying: Verifying = {},
): WebhookEvent {
  const bytes = Buffer.from(body);
  const fits = (key: string) =>
    key.startsWith('whsec_')
      ? hasStandard(key, bytes, headers, verifying)
      : hasSignature(key, bytes, headers);
  if (![keys].flat().some(fits)) throw new UntrustedWebhook('No key has signed this webhook.');
  return JSON.parse(bytes.toString('utf8')) as WebhookEvent;
}

/** `x-signature` of the contract: HMAC-SHA256 of the body, as lower-case hexadecimal digits. */
const hasSignature = (secret: string, body: Buffer, headers: GivenHeaders): boolean =>
  isEqual(createHmac('sha256', secret).update(body).digest('hex'), valueOf(headers, 'x-signature'));

/** https://www.standardwebhooks.com: `v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`. */
function hasStandard(
  key: string,
  body: Buffer,
  headers: GivenHeaders,
  { toleranceSeconds = 300, now = new Date() }: Verifying,
): boolean {
  const [id, timestamp] = [valueOf(headers, 'webhook-id'), valueOf(headers, 'webhook-timestamp')];
  const age = Math.abs(now.getTime() / 1_000 - Number(timestamp));
  if (!(age <= toleranceSeconds) || timestamp === '') return false;
  const secret = Buffer.from(key.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return valueOf(headers, 'webhook-signature')
    .split(' ')
    .some((each) => isEqual(`v1,${signed}`, each));
}

function isEqual(wanted: string, given: string): boolean {
  const [one, other] = [Buffer.from(wanted), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function valueOf(headers: GivenHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return String(value ?? '');
}

/**
 * A listener for Node's `createServer`. It verifies a webhook, passes it on, and answers 204. A wrong signature is a 401.
 * @param take stores the event. When it throws, the answer is 500 and the webhook comes again. A webhook may come twice:
 * drop a second one with the same `webhook-id`.
 */
export function webhookListener(
  keys: string | readonly string[],
  take: (event: WebhookEvent, request: IncomingMessage) => void | Promise<void>,
  { refused = () => undefined }: { refused?: (error: Error) => void } = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  async function statusOf(request: IncomingMessage): Promise<number> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await take(verifyWebhook(Buffer.concat(chunks), request.headers, keys), request);
      return 204;
    } catch (error) {
      refused(error as Error);
      return error instanceof UntrustedWebhook ? 401 : 500;
    }
  }
  return (request, response) =>
    void statusOf(request).then((status) => {
      response.writeHead(status).end();
    });
}
