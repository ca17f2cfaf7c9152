import { z } from 'zod';
import { failureCode } from '../protocol/codes';
import { partyName } from '../protocol/stored';

/** Grows with each change at the party. Absent where the party counts no versions. */
const version = z.number().int().optional();

const expiry = {
  expiryMonth: z.number().int().min(1).max(12),
  /** Four digits. */
  expiryYear: z.number().int().min(2000).max(9999),
};

/**
 * The whole present state of an order of a card. `failed` is an order that the processor took and then gave up. An
 * order that it refuses at once has no state.
 */
export const cardWord = z.discriminatedUnion('status', [
  z.object({ version, status: z.literal('processing') }),
  z.object({
    version,
    status: z.literal('issued'),
    /** The processor's id of the card. */
    reference: partyName,
    last4: z.string().regex(/^\d{4}$/),
    ...expiry,
  }),
  z.object({
    version,
    status: z.literal('failed'),
    /** The processor's code of the reason, without personal data. */
    failureCode,
  }),
]);
export type CardWord = z.output<typeof cardWord>;

/** State of a closure. `processing`: taken, not yet confirmed. */
export const closureWord = z.object({ version, status: z.enum(['processing', 'closed']) });
export type ClosureWord = z.output<typeof closureWord>;

/** State of a wallet's token. */
export const tokenizationWord = z.object({
  version,
  status: z.enum(['processing', 'completed', 'failed']),
  failureCode,
});
export type TokenizationWord = z.output<typeof tokenizationWord>;

/** The secrets of a card, to show them. Never store or log them. */
export const sensitiveCard = z.object({
  cardNumber: z.string().regex(/^\d{12,19}$/),
  cvv: z.string().regex(/^\d{3,4}$/),
  ...expiry,
});
export type SensitiveCard = z.output<typeof sensitiveCard>;
