import { fingerprint, type IdempotencyKey } from '../../kernel/idempotency';

/** Where the card processor sends what it says by itself. */
export const MESSAGES_PATH = '/processor/v1/messages';

/** The key of a message, of its card's tenant: it never expires. */
export const keyOfMessage = (
  tenantId: string,
  message: { messageId: string; fingerprint: Buffer },
): IdempotencyKey => ({
  ...{ tenantId, scope: `POST ${MESSAGES_PATH}`, key: message.messageId },
  ...{ fingerprint: message.fingerprint, permanent: true },
});

/** Of a message as it came: another one under its id is refused. */
export const fingerprintOf = (received: Record<string, unknown>): Buffer => fingerprint(received, {});
