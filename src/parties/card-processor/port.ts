/**
 * The outside party that makes cards and keeps their numbers. Every call that changes something carries an idempotency
 * key of ours: asking again with the same key gives the first call's outcome and never a second card.
 */
export interface CardProcessor {
  /**
   * Orders a card.
   * @throws ProcessorUnreachable nothing was ordered; ProcessorTimeout the outcome is not known
   */
  issue(key: string, order: CardOrder): Promise<Issuance>;
  /** What became of an order; nothing when the processor has never heard of the key. @throws as `issue` */
  issuance(key: string): Promise<Issuance | undefined>;
  /** Ends a card for good. `processing`: taken, not yet confirmed; ask again. @throws as `issue` */
  close(key: string, reference: string): Promise<'closed' | 'processing'>;
  /** The secrets of a card, for the moment of showing them: never to be kept or logged. @throws as `issue` */
  sensitive(reference: string): Promise<SensitiveCard>;
  /** Asks for a token of the card in a wallet. @throws as `issue` */
  tokenize(key: string, reference: string, wallet: Wallet): Promise<Tokenized>;
}

export interface CardOrder {
  bin: string;
  currency: string;
  /** Our name of the person who will hold it. */
  cardholderId: string;
  label: string | null;
}

export interface IssuedCard {
  /** The processor's name of the card. */
  reference: string;
  last4: string;
  expiryMonth: number;
  /** Four digits. */
  expiryYear: number;
}

/** `code`: the processor's reason, a word without personal data. */
export type Issuance =
  | ({ status: 'issued' } & IssuedCard)
  | { status: 'processing' }
  | { status: 'refused'; code: string };

export interface SensitiveCard {
  cardNumber: string;
  cvv: string;
  expiryMonth: number;
  expiryYear: number;
}

export const WALLETS = ['apple_pay', 'google_pay'] as const;
export type Wallet = (typeof WALLETS)[number];

export type Tokenized =
  | { status: 'completed' }
  | { status: 'processing' }
  | { status: 'refused'; code: string };

/** The processor could not be reached: it has not heard of this call. */
export class ProcessorUnreachable extends Error {
  override name = 'ProcessorUnreachable';
  constructor() {
    super('the card processor cannot be reached');
  }
}

/** No answer came in time: the processor may or may not have done the work. */
export class ProcessorTimeout extends Error {
  override name = 'ProcessorTimeout';
  constructor() {
    super('the card processor gave no answer; the outcome is not known');
  }
}

/** Whether asking again later may help; anything else that a processor throws is a fault to look into. */
export function isProcessorAway(error: unknown): boolean {
  return error instanceof ProcessorUnreachable || error instanceof ProcessorTimeout;
}
