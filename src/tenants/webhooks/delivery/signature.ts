import { createHmac } from 'node:crypto';

/** Exact bytes of a webhook's body (`interface.md 2.3`). */
export function envelope(event: string, data: string): Buffer {
  return Buffer.from(`{"event":${JSON.stringify(event)},"data":${data}}`);
}

/** `x-signature`: HMAC-SHA256 over the exact bytes of the body, lower-case hexadecimal (`interface.md 6.1`). */
export function signatureOf(body: Buffer, secret: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
