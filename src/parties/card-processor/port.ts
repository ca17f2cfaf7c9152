import type { IncomingHttpHeaders } from 'node:http';
import type { ReadBalances } from '../protocol/balances';
import type { PartyCallback } from '../protocol/callback';
import type { ReadChanges } from '../protocol/changes';
import type { ChallengeMessage, ProcessorMessage } from './message';
import type { NetworkReport } from './report';
import type { CardWord, ClosureWord, SensitiveCard, TokenizationWord } from './word';

/**
 * The outside party that makes cards and keeps their numbers. Every order carries an idempotency key of ours: a
 * repeated key returns the state of the first order. A callback and a change name the key of their order.
 */
export interface CardProcessor {
  /**
   * Orders a card.
   * @throws PartyRefused the processor has refused for good; PartyAway nothing was ordered; OutcomeUnknown the card may
   * have been ordered
   */
  issue(order: CardOrder): Promise<CardWord>;
  /** Reads the state of an order. @throws PartyAway the state is unknown now */
  issuance(key: string): Promise<CardWord | 'unknown_to_party'>;
  /** Closes a card for good. @throws as `issue` */
  close(order: ClosureOrder): Promise<ClosureWord>;
  /** Reads the state of a closure. @throws as `issuance` */
  closure(order: Pick<ClosureOrder, 'key' | 'reference'>): Promise<ClosureWord | 'unknown_to_party'>;
  /** Reads the secrets of a card to show them. Never store or log them. @throws as `issuance` */
  sensitive(reference: string): Promise<SensitiveCard>;
  /** Requests a token of the card for a wallet. @throws as `issue` */
  tokenize(order: TokenizationOrder): Promise<TokenizationWord>;
  /** Reads the state of a wallet's token. @throws as `issuance` */
  tokenization(
    order: Pick<TokenizationOrder, 'key' | 'reference'>,
  ): Promise<TokenizationWord | 'unknown_to_party'>;
  changes: ReadChanges;
  /** Undefined when the signature is wrong or too old, or when the message is not such a callback. */
  verify(raw: Buffer, headers: IncomingHttpHeaders): PartyCallback | undefined;
  /**
   * Verifies and parses a message of a card network. Undefined when the signature is wrong or too old.
   * @throws UnreadableCallback the message is signed but unreadable; its cause names the field
   */
  verifyMessage(raw: Buffer, headers: IncomingHttpHeaders): ReceivedMessage | undefined;
  /** Whether the processor has signed the path that it reads. False when the signature is too old. */
  verifyQuestion(path: string, headers: IncomingHttpHeaders): boolean;
  /** Renders our answer to a message. Absent: the processor reads the answers of our protocol. */
  renderAnswer?(body: string): { body: string; headers: Record<string, string> };
  /**
   * Reads the report that a change of the list names. Absent: the list names orders only, because the processor repeats
   * unanswered messages.
   * @throws PartyAway the report is unknown now; UnreadableCallback it cannot be read
   */
  reported?(ref: string): Promise<NetworkReport>;
  /** Reads the balances that pay for the cards. Absent: the processor reports none. @throws PartyAway */
  balances?: ReadBalances;
}

export type ReceivedMessage = ProcessorMessage | ChallengeMessage | NetworkReport;

interface Order {
  key: string;
  /** Where the processor reports that the order has changed. */
  callbackUrl: string;
}

export interface CardOrder extends Order {
  bin: string;
  currency: string;
  /** Our id of the future cardholder. */
  cardholderId: string;
  label: string | null;
}

export interface ClosureOrder extends Order {
  /** The processor's id of the card. */
  reference: string;
}

export const WALLETS = ['apple_pay', 'google_pay'] as const;
export type Wallet = (typeof WALLETS)[number];

export interface TokenizationOrder extends Order {
  reference: string;
  wallet: Wallet;
}
