import type { Decimal } from '../../kernel/money/money';
import type { Wallet } from '../../parties/card-processor/port';

export const CARD_STATUSES = ['pending', 'active', 'frozen', 'closing', 'closed', 'failed'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** Value of `returnsTo` when no account of the tenant is open for the money of a closed card. */
export const SUSPENSE = 'suspense';

export const FREEZE_REASONS = ['manual', 'insufficient_funds', 'risk', 'provider'] as const;
export type FreezeReason = (typeof FREEZE_REASONS)[number];

export interface Card {
  id: string;
  tenantId: string;
  userId: string;
  /** The account that funds the card. */
  accountId: string;
  /**
   * The account for money of a closed card whose account is closed: a master account, or `SUSPENSE`. Null: its own
   * account.
   */
  returnsTo: string | null;
  /** The account that pays settle and decline fees: the tenant's master account of the card's currency. */
  masterAccountId: string;
  cardholderId: string;
  bin: string;
  scheme: string;
  currency: string;
  /** The ledger account of the buffer; null until the card has its first buffer. */
  bufferAccountId: string | null;
  label: string | null;
  status: CardStatus;
  /** Reasons of the freeze. The card is frozen exactly while there is at least one. */
  freezeReasons: FreezeReason[];
  /** The client set the reason `insufficient_funds`. The reason then stays until the card is unfrozen or funded. */
  insufficientAsked: boolean;
  /** The card's user is blocked. The card declines and cannot be funded. */
  userBlocked: boolean;
  /** An operator has disabled the tenant's cards, not only its API. The card declines like a frozen card. */
  tenantStopped: boolean;
  /** Its own or its user's limits are set, or its programme has limits per day or month. Its spending is counted. */
  limited: boolean;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** The processor's reference of the card. The card number and CVV stay with the processor. */
  processorReference: string | null;
  initialAmount: Decimal;
  issueFee: Decimal;
  /** The time at which the processor confirmed the closure. */
  processorClosedAt: Date | null;
  failure: string | null;
  /** The key of the call that issued the card. The webhooks of the issuance carry it. */
  idempotencyKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Transitions of a card. A status changes only by a row of this table. */
export const CARD_TRANSITIONS = [
  { from: 'pending', on: 'issue', to: 'active' },
  { from: 'pending', on: 'issue_failed', to: 'failed' },
  { from: 'active', on: 'freeze', to: 'frozen' },
  { from: 'frozen', on: 'unfreeze', to: 'active' },
  { from: 'active', on: 'begin_closure', to: 'closing' },
  { from: 'frozen', on: 'begin_closure', to: 'closing' },
  { from: 'closing', on: 'close', to: 'closed' },
  { from: 'active', on: 'close', to: 'closed' },
  { from: 'frozen', on: 'close', to: 'closed' },
] as const satisfies { from: CardStatus; on: string; to: CardStatus }[];

export type CardTrigger = (typeof CARD_TRANSITIONS)[number]['on'];

/** A request to add a card to a phone's wallet. */
export interface Tokenization {
  id: string;
  tenantId: string;
  cardId: string;
  wallet: Wallet;
  status: 'pending' | 'completed' | 'failed';
  failure: string | null;
}
