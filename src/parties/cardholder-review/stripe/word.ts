import { z } from 'zod';
import { UnreadableAnswer } from '../../../process/party-errors';
import type { ReviewWord } from '../word';

const cardholderObject = z.object({
  id: z.string().regex(/^ich_\w{1,100}$/),
  status: z.string(),
  requirements: z.object({
    disabled_reason: z.string().nullable(),
    past_due: z.array(z.string()).nullable(),
  }),
});

/** Reasons for which Stripe still examines the person. */
const EXAMINED: readonly string[] = ['listed', 'under_review'];

/**
 * The state of a review. `refused` names the fields that Stripe misses, so that the client can correct and submit them.
 * @throws UnreadableAnswer
 */
export function wordOf(cardholder: unknown): ReviewWord {
  const parsed = cardholderObject.safeParse(cardholder);
  if (!parsed.success) throw new UnreadableAnswer();
  const { status, requirements } = parsed.data;
  const { disabled_reason: disabled, past_due: missing } = requirements;
  if (disabled !== null && EXAMINED.includes(disabled)) return { status: 'processing' };
  if (disabled?.startsWith('rejected') || status === 'blocked')
    return { status: 'rejected', reason: 'The registry has rejected the person.' };
  if (missing?.length) return { status: 'refused', reason: `Missing: ${missing.map(fieldOf).join(', ')}.` };
  if (disabled !== null) return { status: 'processing' };
  return status === 'active'
    ? { status: 'passed' }
    : { status: 'rejected', reason: 'The cardholder is inactive at the registry.' };
}

/** A field in Stripe's words, such as `individual.dob.day`. Anything else is left out, because clients see it. */
const fieldOf = (field: string): string => (/^[a-z_.]{1,80}$/.test(field) ? field : 'a field');
