import { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';

export const OPERATION_TYPES = ['issue', 'topup', 'withdraw', 'close'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const OPERATION_STATUSES = ['accepted', 'processing', 'completed', 'failed'] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

/** The life of an operation. No status is assigned but by a row of this table. */
export const OPERATION_TRANSITIONS = [
  { from: 'accepted', on: 'wait', to: 'processing' },
  { from: 'accepted', on: 'complete', to: 'completed' },
  { from: 'processing', on: 'complete', to: 'completed' },
  { from: 'accepted', on: 'fail', to: 'failed' },
  { from: 'processing', on: 'fail', to: 'failed' },
] as const satisfies { from: OperationStatus; on: string; to: OperationStatus }[];

export type OperationTrigger = (typeof OPERATION_TRANSITIONS)[number]['on'];

/** An amount for a card and how it is divided, in the card's currency. */
export interface Funding {
  /** What the card can spend. */
  principal: Decimal;
  /** What is set aside for forced settlements. */
  buffer: Decimal;
  fee: Decimal;
}

/** What the account pays. */
export const totalDebit = ({ principal, buffer, fee }: Funding): Decimal => principal.plus(buffer).plus(fee);

/** Exactly what was posted for an operation; amounts in the card's currency, as decimal strings. */
export interface OperationResult {
  principal: string;
  buffer: string;
  fee: string;
  totalDebit: string;
  currency: string;
  accountTransactionIds: string[];
  cardTransactionIds: string[];
}

/** What a client has asked of a card, carried out by a process (decisions part 4, Buffered cards). */
export interface CardOperation extends Funding {
  id: string;
  tenantId: string;
  cardId: string;
  /** What funds the card. */
  accountId: string;
  type: OperationType;
  status: OperationStatus;
  currency: string;
  quoteId: string | null;
  /** When it is `completed`. */
  result: OperationResult | null;
  /** When it has `failed`: nothing of it is in any balance. */
  failure: { code: string; message: string } | null;
  idempotencyKey: string | null;
  /** The tenant of whoever called: keys are unique within it. */
  callerId: string;
  createdAt: Date;
  updatedAt: Date;
}

const decimal = decimalText().transform((text) => new Decimal(text));
const funding = { principal: decimal, buffer: decimal, fee: decimal };

/** The terms that a quote of an issuance keeps. */
export const issueTerms = z.object({ userId: z.string(), cardholderId: z.string(), ...funding });
/** The terms that a quote of a funding keeps. */
export const topupTerms = z.object({ cardId: z.string(), ...funding });
