import { z } from 'zod';
import { isCurrency } from '../../../kernel/money/currencies';

/**
 * The fields of Stripe's objects that we read. Events have the shape of the API version under which they were made.
 * Unknown fields are therefore ignored, and absent ones are tolerated where no money depends on them.
 */

const currency = z
  .string()
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'must be a known currency');
const units = z.number().int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const moment = z.number().int().positive();
const id = z.string().regex(/^\w{1,100}$/);
/** A field that holds an id, or the expanded object. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)]);
const maybeText = z.string().nullish().catch(undefined);

const merchant = z
  .object({
    network_id: maybeText,
    name: maybeText,
    category_code: maybeText,
    city: maybeText,
    country: maybeText,
  })
  .catch({});
export type StripeMerchant = z.output<typeof merchant>;

/** A decision on a request, in the order of the requests. The index names the request for ever. */
const decided = z.object({
  amount: units.nonnegative(),
  currency,
  approved: z.boolean(),
  reason: z.string().catch(''),
  created: moment,
});
export type StripeDecision = z.output<typeof decided>;

export const authorizationObject = z.object({
  id,
  card: reference,
  amount: units.nonnegative(),
  currency,
  created: moment,
  status: z.string(),
  authorization_method: maybeText,
  card_presence: maybeText,
  merchant_data: merchant,
  pending_request: z.object({ amount: units.nonnegative(), currency }).nullish(),
  request_history: z.array(decided),
  verification_data: z
    .object({ three_d_secure: z.object({ result: z.string() }).nullish() })
    .nullish()
    .catch(undefined),
});
export type StripeAuthorization = z.output<typeof authorizationObject>;

export const transactionObject = z.object({
  id,
  type: z.enum(['capture', 'refund']),
  /** Below zero for a capture. */
  amount: units,
  currency,
  card: reference,
  authorization: reference.nullish(),
  created: moment,
  merchant_data: merchant,
});
export type StripeTransaction = z.output<typeof transactionObject>;

/** Fields of an authorization before an update. Absent: unchanged by the update. */
export const formerAuthorization = z.object({
  amount: units.nonnegative().optional(),
  status: z.string().optional(),
});
export type FormerAuthorization = z.output<typeof formerAuthorization>;
