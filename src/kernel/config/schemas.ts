import { z } from 'zod';
import { type AddressList, addressList, isNetwork } from '../security/address-lists';

/** Schemas of settings. Each message continues the setting's name: `PORT: must be …`. */

const MUST_BE_TEXT = 'must not be empty';
export const text = z.string(MUST_BE_TEXT).trim().min(1, MUST_BE_TEXT);

export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) => {
  const last = values.at(-1) as string;
  return z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${last}`);
};

export const whole = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
};

export const port = whole(0, 65_535);

const ABOVE_NOTHING = 'must be a number greater than 0';
export const seconds = z.coerce.number(ABOVE_NOTHING).positive(ABOVE_NOTHING);

const NOT_BELOW_NOTHING = 'must be a number of at least 0';
export const secondsOrNone = z.coerce.number(NOT_BELOW_NOTHING).min(0, NOT_BELOW_NOTHING);

const noAddress = (example: string) => `must be an address such as ${example}`;
export const address = (example: string) => z.url({ normalize: true, error: noAddress(example) });
/** Keeps the address as it was given. */
export const addressAsGiven = (example: string) => z.url(noAddress(example));

/** Base URL of the desk, without a trailing slash. */
export const deskUrl = addressAsGiven('https://desk.example.com').transform((url) => url.replace(/\/+$/, ''));

/** Addresses and networks, separated by commas. */
export const networks = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every(isNetwork),
    'must be addresses or networks such as 10.0.0.0/8, separated by commas',
  )
  .transform((parts): AddressList => addressList(parts));
