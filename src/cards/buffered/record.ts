import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';

export const OPERATION_TYPES = ['issue', 'topup', 'withdraw', 'close'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const OPERATION_STATUSES = ['accepted', 'processing', 'completed', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** Transitions of an operation. A status changes only by a row of this table. */
export const OPERATION_TRANSITIONS = [
  { from: 'accepted', on: 'wait', to: 'processing' },
  { from: 'accepted', on: 'complete', to: 'completed' },
  { from: 'processing', on: 'complete', to: 'completed' },
  { from: 'accepted', on: 'fail', to: 'failed' },
  { from: 'processing', on: 'fail', to: 'failed' },
] as const satisfies { from: OperationStatus; on: string; to: OperationStatus }[];

export type OperationTrigger = (typeof OPERATION_TRANSITIONS)[number]['on'];

/** The parts of an amount for a card, in the card's currency. */
export interface Funding {
  /** The amount that the card can spend. */
  principal: Decimal;
  /** The amount that is set aside for forced settlements. */
  buffer: Decimal;
  fee: Decimal;
}

/** The amount that the account pays. */
export const totalDebit = ({ principal, buffer, fee }: Funding): Decimal => principal.plus(buffer).plus(fee);

/** The sums and records that were posted for an operation. Amounts are decimal strings in the card's currency. */
export interface OperationResult {
  principal: string;
  buffer: string;
  fee: string;
  totalDebit: string;
  currency: string;
  accountTransactionIds: string[];
  cardTransactionIds: string[];
}

/** An operation that a client requested on a card. A workflow carries it out (decisions part 4, Buffered cards). */
export interface CardOperation extends Funding {
  id: string;
  tenantId: string;
  cardId: string;
  /** The account that funds the card. */
  accountId: string;
  type: OperationType;
  status: OperationStatus;
  currency: string;
  quoteId: string | null;
  /** Null unless the status is `completed`. */
  result: OperationResult | null;
  /** Null unless the status is `failed`. A failed operation has changed no balance. */
  failure: { code: string; message: string } | null;
  idempotencyKey: string | null;
  /** The caller's tenant. An idempotency key is unique within it. */
  callerId: string;
  createdAt: Date;
  updatedAt: Date;
}

const decimal = decimalText().transform((text) => new Decimal(text));
const funding = { principal: decimal, buffer: decimal, fee: decimal };

/** The terms that the quote of an issuance keeps. */
export const issueTerms = z.object({ userId: z.string(), cardholderId: z.string(), ...funding });
/** The terms that the quote of a top-up keeps. */
export const topupTerms = z.object({ cardId: z.string(), ...funding });
