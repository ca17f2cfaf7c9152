import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { DECIMAL_TEXT, Decimal, fitsCurrency } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';
import { PartyAway, PartyRefused, UnreadableAnswer, UnreadableCallback } from '../../process/party-errors';
import { type Secret, verifySignature } from './signature';

/** An amount in a party's answer or message: a decimal string. */
export const decimal = decimalText()
  .transform((text) => new Decimal(text))
  .meta({ override: { type: 'string', pattern: DECIMAL_TEXT.source, examples: ['100.00'] } });

/** An amount that is to move, so more than zero. */
export const positiveDecimal = decimal
  .refine((amount) => amount.gt(0), 'must be greater than zero')
  .meta({ override: { type: 'string', pattern: DECIMAL_TEXT.source, examples: ['100.00'] } });

/**
 * Checks and converts a party's answer. An answer that cannot be understood leaves the outcome unknown.
 * @param holds a further condition, checked only for answers of the right shape
 * @throws UnreadableAnswer
 */
export function parseAnswer<S extends z.ZodType>(
  schema: S,
  answer: unknown,
  holds: (parsed: z.output<S>) => boolean = () => true,
): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success || !holds(parsed.data)) throw new UnreadableAnswer();
  return parsed.data;
}

/** Turns a `not_found` about a record of ours into `unknown_to_party`. */
export async function orUnknown<T>(answer: Promise<T>): Promise<T | 'unknown_to_party'> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PartyRefused && error.code === 'not_found') return 'unknown_to_party';
    throw error;
  }
}

/** Turns a refusal of a question about no record into an outage. @param asked what the party did not answer */
export async function orAway<T>(answer: Promise<T>, asked: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof PartyRefused ? new PartyAway(`the party does not give ${asked}`) : error;
  }
}

/** Whether the ledger can book the amount: the currency is known and has enough decimals. */
export const isCountable = ({ amount, currency }: { amount: Decimal; currency: string }): boolean =>
  isCurrency(currency) && fitsCurrency(amount, currency);

/**
 * Verifies and parses a callback. Undefined where the signature is wrong or too old.
 * @throws UnreadableCallback the message is signed but has another shape
 */
export function verifiedMessage<S extends z.ZodType>(
  schema: S,
  raw: Buffer,
  headers: IncomingHttpHeaders,
  signed: { secret: Secret; now: Date },
): z.output<S> | undefined {
  if (!verifySignature(raw, headers, signed)) return undefined;
  const parsed = schema.safeParse(jsonIn(raw));
  if (!parsed.success) throw new UnreadableCallback();
  return parsed.data;
}

function jsonIn(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
