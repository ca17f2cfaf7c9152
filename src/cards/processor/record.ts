import type { ProcessorMessage } from '../../parties/card-processor/message';

/**
 * A message whose answer is not that of its idempotency key. `unanswered`: a decline was answered because nothing else was there
 * in time, whatever was committed meanwhile. `unknown_card`: it names a card that we do not know.
 */
export interface KeptMessage {
  id: string;
  /** The processor's. */
  messageId: string;
  reason: 'unanswered' | 'unknown_card';
  fingerprint: Buffer;
  message: StoredMessage;
  /** What was answered, and is whenever it comes again. */
  status: number;
  body: string;
  /** Null where the card was not known. */
  tenantId: string | null;
  /** By the clock of the database: not after it came, and no longer before it than asking that clock took. */
  receivedAt: Date;
  /** When it must have been settled. */
  dueBy: Date;
  settledAt: Date | null;
}

/** As JSON: the fields that we know. */
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
    ...{ messageId, type, cardReference, currency, networkReference, merchant, final },
    amount: message.amount.toFixed(),
    sentAt: message.sentAt.toISOString(),
  };
}
