import type { Decimal } from '../../kernel/money/money';
import type { Wallet } from '../../parties/card-processor/port';

export const CARD_STATUSES = ['pending', 'active', 'frozen', 'closing', 'closed', 'failed'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** No account of the tenant is open for the money of a closed card. */
export const SUSPENSE = 'suspense';

export const FREEZE_REASONS = ['manual', 'insufficient_funds', 'risk', 'provider'] as const;
export type FreezeReason = (typeof FREEZE_REASONS)[number];

export interface Card {
  id: string;
  tenantId: string;
  userId: string;
  /** What funds it. */
  accountId: string;
  /** The account for money of a closed card whose account is closed: a master account, or `SUSPENSE`. Null: its own account. */
  returnsTo: string | null;
  /** Where its settle and decline fees fall: the tenant's master account of its currency. */
  masterAccountId: string;
  cardholderId: string;
  bin: string;
  scheme: string;
  currency: string;
  /** Where its buffer is kept; null before it has had one. */
  bufferAccountId: string | null;
  label: string | null;
  status: CardStatus;
  /** Frozen exactly while a reason stands. */
  freezeReasons: FreezeReason[];
  /** The reason `insufficient_funds` was set by the client: it stands until unfrozen or funded. */
  insufficientAsked: boolean;
  /** Its user is blocked: it declines, and is not funded. */
  userBlocked: boolean;
  /** An operator has disabled its tenant, and not the tenant's API alone: it declines as a frozen one. */
  tenantStopped: boolean;
  /** Limits of its own, its user's or over time are to be looked at, and what it spends is counted. */
  limited: boolean;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** The card processor's name of it; number and CVV stay there. */
  processorReference: string | null;
  initialAmount: Decimal;
  issueFee: Decimal;
  /** When the processor confirmed the closure. */
  processorClosedAt: Date | null;
  failure: string | null;
  /** Of the call that issued it; travels to the webhooks of its issuance. */
  idempotencyKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The life of a card. No status is assigned but by a row of this table. */
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

/** What moves a card from one status to another. */
export type CardTrigger = (typeof CARD_TRANSITIONS)[number]['on'];

/** A card that is asked for in a wallet. */
export interface Tokenization {
  id: string;
  tenantId: string;
  cardId: string;
  wallet: Wallet;
  status: 'pending' | 'completed' | 'failed';
  failure: string | null;
}
