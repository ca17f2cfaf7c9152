import type Stripe from 'stripe';
import { PartyRefused } from '../../../process/party-errors';
import { ORIGIN } from '../../stripe/requests';
import type { Application } from '../port';

/** Fields of a cardholder's metadata: the key of its last application, and our id. */
export const KEYS = { application: 'key', cardholder: 'cardholder' } as const;

/** Name of a city by its region and code. Undefined for an unknown code. */
export type CityName = (region: string, code: string) => string | undefined;

/** Length of the name on a card, in characters. */
const MAX_NAME = 24;

type Person = Application['person'];

/**
 * The cardholder that an application registers. The documents stay here, because Stripe asks for them only in some
 * reviews.
 * @throws PartyRefused for an application without the data that Stripe always needs
 */
export function cardholderParams(
  { key, cardholderId, person }: Application,
  cityName: CityName,
): Stripe.Issuing.CardholderCreateParams {
  const { email, firstName, lastName } = person;
  const phone = phoneOf(person);
  const birth = birthOf(person);
  return {
    type: 'individual',
    status: 'active',
    name: nameOnCard(person),
    billing: { address: addressOf(person, cityName) },
    individual: {
      ...(firstName === undefined ? {} : { first_name: firstName }),
      ...(lastName === undefined ? {} : { last_name: lastName }),
      ...(birth === undefined ? {} : { dob: birth }),
    },
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone_number: phone }),
    metadata: { origin: ORIGIN, [KEYS.application]: key, [KEYS.cardholder]: cardholderId },
  };
}

/** The whole name, else the initial of the first name and the last name, cut to the length of a card's name. */
function nameOnCard({ firstName = '', lastName = '' }: Person): string {
  const whole = `${firstName} ${lastName}`.trim();
  if (whole === '') throw new PartyRefused('name_missing');
  if (whole.length <= MAX_NAME) return whole;
  return `${firstName.slice(0, 1)} ${lastName}`.trim().slice(0, MAX_NAME).trim();
}

function addressOf(
  { country, town, address, postCode }: Person,
  cityName: CityName,
): Stripe.Issuing.CardholderCreateParams.Billing.Address {
  if (!country || !town || !address || !postCode) throw new PartyRefused('address_missing');
  const city = cityName(country, town);
  if (city === undefined) throw new PartyRefused('city_unknown');
  return { line1: address, city, country, postal_code: postCode };
}

/** In the form `+43660…`. A trunk prefix is Stripe's to remove. */
const phoneOf = ({ phoneCode, phone }: Person): string | undefined =>
  phone === undefined || phoneCode === undefined ? undefined : `${phoneCode}${phone}`;

function birthOf({ birthday }: Person): Stripe.Issuing.CardholderCreateParams.Individual.Dob | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(birthday ?? '') ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return { year: Number(year), month: Number(month), day: Number(day) };
}
