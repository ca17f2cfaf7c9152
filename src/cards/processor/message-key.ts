import { fingerprint, type IdempotencyKey, keyIn } from '../../kernel/idempotency';

/** Path of the card processor's messages. */
export const MESSAGES_PATH = '/processor/v1/messages';

/** The permanent idempotency key of a message, within its card's tenant. */
export const keyOfMessage = (
  tenantId: string,
  message: { messageId: string; fingerprint: Buffer },
): IdempotencyKey =>
  keyIn({
    tenantId,
    scope: `POST ${MESSAGES_PATH}`,
    key: message.messageId,
    fingerprint: message.fingerprint,
    permanent: true,
  });

/** Fingerprint of a message as received. A different message under the same id is refused. */
export const fingerprintOf = (received: Record<string, unknown>): Buffer => fingerprint(received, {});
