import type { z } from 'zod';
import { Decimal } from '../../kernel/money/money';
import { decimalText } from '../../kernel/wire/schemas';
import { OutcomeUnknown } from '../../process/party-errors';

/** An amount in a party's answer or message: a decimal string. */
export const decimal = decimalText().transform((text) => new Decimal(text));

/**
 * What the party answered, checked: an answer that cannot be understood says nothing of what was done.
 * @throws OutcomeUnknown
 */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new OutcomeUnknown('the party gave an answer that cannot be read');
  return parsed.data;
}

/** The JSON of a message that was verified; nothing where it is none, or not of that shape. */
export function parseMessage<S extends z.ZodType>(schema: S, raw: Buffer): z.output<S> | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(raw.toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
