import { createHmac, hkdfSync } from 'node:crypto';

/** Exact bytes of a webhook's body (`interface.md 2.3`). */
export function envelope(event: string, data: string): Buffer {
  return Buffer.from(`{"event":${JSON.stringify(event)},"data":${data}}`);
}

/** Keys that sign a tenant's webhooks. */
export interface SigningKeys {
  /** The newest client secret. */
  secret: Buffer;
  /** A key of Standard Webhooks for each valid client secret, that of the newest first. */
  standard: readonly Buffer[];
}

/** The Standard Webhooks key of a client secret: HKDF-SHA256, 32 bytes (decisions part 4, Webhooks). */
export const standardKeyOf = (secret: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'cardwright/standard-webhooks', 32));

/** A Standard Webhooks key as receivers configure it: `whsec_` and base64. */
export const shownKey = (key: Buffer): string => `whsec_${key.toString('base64')}`;

/** `x-signature`: HMAC-SHA256 over the exact bytes of the body, lower-case hexadecimal (`interface.md 6.1`). */
export function signatureOf(body: Buffer, secret: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** The signing headers of a webhook. @param at of the attempt */
export function signedHeaders(
  { id, body, at }: { id: string; body: Buffer; at: Date },
  { secret, standard }: SigningKeys,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = standard.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return {
    'x-signature': signatureOf(body, secret),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signed.join(' '),
  };
}
