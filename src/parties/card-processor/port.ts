import type { IncomingHttpHeaders } from 'node:http';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ChallengeMessage, ProcessorMessage } from './message';
import type { CardWord, ClosureWord, SensitiveCard, TokenizationWord } from './word';

/**
 * The outside party that makes cards and keeps their numbers. Every order carries a key of ours: the same key again gives the
 * state of the first order, and never a second card. A callback and a change name the key of the order that they are about.
 */
export interface CardProcessor {
  /**
   * Orders a card.
   * @throws PartyRefused it will never make it; PartyAway nothing was ordered; OutcomeUnknown it may have been ordered
   */
  issue(order: CardOrder): Promise<CardWord>;
  /** What became of an order. @throws PartyAway nothing is known just now */
  issuance(key: string): Promise<CardWord | 'unknown_to_party'>;
  /** Ends a card for good. @throws as `issue` */
  close(order: ClosureOrder): Promise<ClosureWord>;
  /** What became of a closure. @throws as `issuance` */
  closure(order: Pick<ClosureOrder, 'key' | 'reference'>): Promise<ClosureWord | 'unknown_to_party'>;
  /** The secrets of a card, for the moment of showing them: never to be kept or logged. @throws as `issuance` */
  sensitive(reference: string): Promise<SensitiveCard>;
  /** Asks for a token of the card in a wallet. @throws as `issue` */
  tokenize(order: TokenizationOrder): Promise<TokenizationWord>;
  /** What became of a wallet's token. @throws as `issuance` */
  tokenization(
    order: Pick<TokenizationOrder, 'key' | 'reference'>,
  ): Promise<TokenizationWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Nothing when the signature is wrong or too old, or the message is none of these. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PartyCallback | undefined;
  /**
   * What a card network says by it. Nothing when the signature is wrong or too old.
   * @throws UnreadableCallback it is signed, and is no such message; its cause names the field
   */
  verifyMessage(raw: Buffer, headers: IncomingHttpHeaders): ProcessorMessage | ChallengeMessage | undefined;
  /** Whether the processor has signed a question: the path that it asks. Too old a signature is none. */
  verifyQuestion(path: string, headers: IncomingHttpHeaders): boolean;
}

interface Order {
  key: string;
  /** Where the processor tells that the order has moved. */
  callbackUrl: string;
}

export interface CardOrder extends Order {
  bin: string;
  currency: string;
  /** Our name of the person who will hold it. */
  cardholderId: string;
  label: string | null;
}

export interface ClosureOrder extends Order {
  /** The processor's name of the card. */
  reference: string;
}

export const WALLETS = ['apple_pay', 'google_pay'] as const;
export type Wallet = (typeof WALLETS)[number];

export interface TokenizationOrder extends Order {
  reference: string;
  wallet: Wallet;
}
