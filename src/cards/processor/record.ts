import type { ProcessorMessage } from '../../parties/card-processor/message';

/**
 * A message whose answer is stored here and not under an idempotency key. `unanswered`: an authorization was declined
 * because it was not judged in time, whatever was committed meanwhile. `unknown_card`: the message names an unknown
 * card.
 */
export interface KeptMessage {
  id: string;
  /** The processor's id of the message. */
  messageId: string;
  reason: 'unanswered' | 'unknown_card';
  fingerprint: Buffer;
  message: StoredMessage;
  /** The answer to the message and to each repeat. */
  status: number;
  body: string;
  /** Null when the card was unknown. */
  tenantId: string | null;
  /** The arrival by the database's clock. May be earlier by the time that reading this clock took, never later. */
  receivedAt: Date;
  /** The time from which the message counts as overdue. */
  dueBy: Date;
  settledAt: Date | null;
}

/** The known fields of a message, as JSON. */
export type StoredMessage = Pick<
  ProcessorMessage,
  'cardReference' | 'currency' | 'merchant' | 'type' | 'final'
> & {
  messageId: string;
  networkReference: string;
  amount: string;
  sentAt: string;
};

export function storedMessage(message: ProcessorMessage): StoredMessage {
  const { messageId, type, cardReference, currency, networkReference, merchant, final } = message;
  return {
    messageId,
    type,
    cardReference,
    currency,
    networkReference,
    merchant,
    final,
    amount: message.amount.toFixed(),
    sentAt: message.sentAt.toISOString(),
  };
}
