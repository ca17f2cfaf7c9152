import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { isCurrency } from '../../kernel/money/currencies';
import { DECIMAL_TEXT, Decimal, fitsCurrency } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';
import { PartyAway, PartyRefused, UnreadableAnswer, UnreadableCallback } from '../../process/party-errors';
import { verifySignature } from './signature';

/** An amount in a party's answer or message: a decimal string. */
export const decimal = decimalText()
  .transform((text) => new Decimal(text))
  .meta({ override: { type: 'string', pattern: DECIMAL_TEXT.source, examples: ['100.00'] } });

/** The same of what is to move: more than zero. */
export const positiveDecimal = decimal
  .refine((amount) => amount.gt(0), 'must be greater than zero')
  .meta({ override: { type: 'string', pattern: DECIMAL_TEXT.source, examples: ['100.00'] } });

/**
 * What the party answered, checked: an answer that cannot be understood says nothing of what was done.
 * @param holds what must be true of it besides; asked only of an answer of the right shape
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

/** The answer about something of ours, by its key or its id: the party may never have heard of it. */
export async function orUnknown<T>(answer: Promise<T>): Promise<T | 'unknown_to_party'> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PartyRefused && error.code === 'not_found') return 'unknown_to_party';
    throw error;
  }
}

/** The answer to a question about no record: a party without it is one that cannot be asked for it. */
export async function orAway<T>(answer: Promise<T>, asked: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof PartyRefused ? new PartyAway(`the party does not tell ${asked}`) : error;
  }
}

/** Whether an amount of that currency can be booked: it is one of the world's, with no more decimals than it has. */
export const isCountable = ({ amount, currency }: { amount: Decimal; currency: string }): boolean =>
  isCurrency(currency) && fitsCurrency(amount, currency);

/**
 * A callback's JSON; nothing where the signature is wrong or too old.
 * @throws UnreadableCallback it is signed, and the message is not of that shape
 */
export function verifiedMessage<S extends z.ZodType>(
  schema: S,
  raw: Buffer,
  headers: IncomingHttpHeaders,
  signed: { secret: Buffer; now: Date },
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
