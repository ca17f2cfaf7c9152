import type { Sql } from '../../kernel/db/database';
import type { ProcessorMessage } from '../../parties/card-processor/message';
import { openBreak } from '../../process/breaks/operations';
import { isAuthorization } from './answers';

type Shown = Pick<ProcessorMessage, 'type' | 'messageId' | 'cardReference' | 'amount' | 'currency'>;

/**
 * Opens a break for a message about an unknown card. Authorizations share one break per card, because they are declined
 * and move no money.
 */
export async function showUnknownCard(tx: Sql, message: Shown): Promise<void> {
  const { type, messageId, cardReference, amount, currency } = message;
  const moved = isAuthorization(message) ? {} : { amount, currency };
  const detail = isAuthorization(message) ? 'authorizations, declined' : `${type} ${messageId}`;
  await openBreak(tx, {
    tenantId: null,
    kind: 'processor_card_unknown',
    subject: cardReference,
    detail,
    ...moved,
  });
}

/** Opens a break for money that the network moved and we could not book, or that was both approved and declined. */
export async function showUnbooked(
  tx: Sql,
  kind: 'processor_message_unbooked' | 'processor_message_mismatch' | 'processor_answers_differ',
  tenantId: string | null,
  { type, messageId, amount, currency }: Shown,
): Promise<void> {
  await openBreak(tx, { tenantId, kind, subject: messageId, detail: type, amount, currency });
}
