import Stripe from 'stripe';
import type { StripeProgramme } from '../../../kernel/config/stripe';
import { PartyAway, PartyRefused, UnreadableAnswer } from '../../../process/party-errors';
import { orUnknown } from '../../protocol/answers';
import { partyErrorOf } from '../../stripe/errors';
import type { StripeNames } from '../../stripe/names';
import { changing, ORIGIN, reading } from '../../stripe/requests';
import type { CardOrder, ClosureOrder } from '../port';
import { type CardWord, type ClosureWord, cardWord, type SensitiveCard, sensitiveCard } from '../word';

export interface StripeCardsOptions {
  stripe: Stripe;
  programmes: Readonly<Record<string, StripeProgramme>>;
  /** Stripe's ids of our orders. */
  names: StripeNames;
  /** Stripe's ids of our cardholders. */
  cardholders: Pick<StripeNames, 'idOf'>;
}

/** Fields of a card's metadata: the key of the order, and the key of the closure. */
export const KEYS = { order: 'key', closure: 'closure_key' } as const;

/** Most cards of a cardholder that are searched for a lost order. */
const MAX_SEARCHED = 2_000;

/** Makes, reads and closes cards at Stripe. A freeze stays ours: we decline, so that an unfreeze needs no party. */
export function createCards({ stripe, programmes, names, cardholders }: StripeCardsOptions) {
  const retrieve = (id: string) => reading(() => stripe.issuing.cards.retrieve(id));

  /**
   * The card of an order that Stripe took although we lost its answer. Stripe forgets keys after a day or more. The list
   * begins with the newest card.
   */
  async function findOrdered(key: string, cardholder: string): Promise<Stripe.Issuing.Card | undefined> {
    return reading(async () => {
      let searched = 0;
      for await (const card of stripe.issuing.cards.list({ cardholder, limit: 100 })) {
        if (card.metadata?.[KEYS.order] === key) return card;
        if ((searched += 1) >= MAX_SEARCHED) return undefined;
      }
      return undefined;
    });
  }

  async function cardholderOf({ cardholderId }: CardOrder, { cardholder }: StripeProgramme): Promise<string> {
    const id = cardholder ?? (await cardholders.idOf(cardholderId));
    if (id === undefined) throw new PartyRefused('cardholder_unknown');
    return id;
  }

  return {
    async issue(order: CardOrder): Promise<CardWord> {
      const { key, bin, currency } = order;
      const programme = programmes[bin];
      if (!programme) throw new PartyRefused('programme_unknown');
      if (programme.currency !== currency) throw new PartyRefused('wrong_currency');
      const cardholder = await cardholderOf(order, programme);
      const known = await names.idOf(key);
      if (known !== undefined) return retrieve(known).then(wordOf);
      const ordered = (await names.begin(key)) ? await findOrdered(key, cardholder) : undefined;
      const params = await cardParams(stripe, order, { programme, cardholder });
      const card =
        ordered ?? (await changing(() => stripe.issuing.cards.create(params, { idempotencyKey: key })));
      const word = wordOf(card);
      await names.keep([key], card.id);
      return word;
    },
    async issuance(key: string): Promise<CardWord | 'unknown_to_party'> {
      const id = await names.idOf(key);
      return id === undefined ? 'unknown_to_party' : orUnknown(retrieve(id).then(wordOf));
    },
    async close({ key, reference }: ClosureOrder): Promise<ClosureWord> {
      const params = { status: 'canceled', metadata: { [KEYS.closure]: key } } as const;
      const card = await changing(() =>
        stripe.issuing.cards.update(reference, params, { idempotencyKey: key }),
      ).catch(async (error: unknown) => {
        // Stripe refuses to change a canceled card.
        const canceled = error instanceof PartyRefused ? await retrieve(reference) : undefined;
        if (canceled?.status !== 'canceled') throw error;
        return canceled;
      });
      return { status: card.status === 'canceled' ? 'closed' : 'processing' };
    },
    async closure(reference: string): Promise<ClosureWord | 'unknown_to_party'> {
      const card = await retrieve(reference).catch((error: unknown) => {
        throw error instanceof PartyRefused ? new PartyAway('Stripe does not know the card') : error;
      });
      return card.status === 'canceled' ? { status: 'closed' } : 'unknown_to_party';
    },
    /** @throws PartyRefused the account may not read card numbers, or the card is physical */
    async sensitive(reference: string): Promise<SensitiveCard> {
      const { number, cvc, exp_month, exp_year } = await stripe.issuing.cards
        .retrieve(reference, { expand: ['number', 'cvc'] })
        .catch((error: unknown) => {
          throw mayNotRead(error) ? new PartyRefused('number_unavailable') : partyErrorOf(error, false);
        });
      if (number === undefined || cvc === undefined) throw new PartyRefused('number_unavailable');
      const secrets = { cardNumber: number, cvv: cvc, expiryMonth: exp_month, expiryYear: exp_year };
      const parsed = sensitiveCard.safeParse(secrets);
      if (!parsed.success) throw new UnreadableAnswer();
      return parsed.data;
    },
  };
}

/** Whether the account may not read card numbers. Stripe refuses to expand the fields then. */
const mayNotRead = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && [400, 403].includes(error.statusCode ?? 0);

/** @throws UnreadableAnswer the answer names no card. The card may exist, and the same key returns it again. */
function wordOf({ id, last4, exp_month, exp_year }: Stripe.Issuing.Card): CardWord {
  const word = { status: 'issued', reference: id, last4, expiryMonth: exp_month, expiryYear: exp_year };
  const parsed = cardWord.safeParse(word);
  if (!parsed.success) throw new UnreadableAnswer();
  return parsed.data;
}

interface MadeFor {
  programme: StripeProgramme;
  /** Stripe's id. */
  cardholder: string;
}

/** Depends only on the order and its programme, because Stripe refuses a key that returns with another request. */
async function cardParams(
  stripe: Stripe,
  { key, currency, cardholderId }: CardOrder,
  { programme, cardholder }: MadeFor,
): Promise<Stripe.Issuing.CardCreateParams> {
  const { type, personalizationDesign } = programme;
  return {
    cardholder,
    currency: currency.toLowerCase(),
    type,
    status: 'active',
    metadata: { origin: ORIGIN, [KEYS.order]: key, cardholder: cardholderId },
    ...(personalizationDesign === undefined ? {} : { personalization_design: personalizationDesign }),
    ...(type === 'physical' ? { shipping: await shippingTo(stripe, { programme, cardholder }) } : {}),
  };
}

/** A physical card goes to the billing address of its cardholder. */
async function shippingTo(
  stripe: Stripe,
  { programme, cardholder }: MadeFor,
): Promise<Stripe.Issuing.CardCreateParams.Shipping> {
  const {
    name,
    phone_number: phone,
    billing,
  } = await reading(() => stripe.issuing.cardholders.retrieve(cardholder));
  const { city, country, line1, line2, postal_code, state } = billing.address;
  if (!city || !country || !line1 || !postal_code) throw new PartyRefused('address_missing');
  return {
    name,
    service: programme.shipping,
    ...(phone ? { phone_number: phone } : {}),
    address: {
      city,
      country,
      line1,
      postal_code,
      ...(line2 ? { line2 } : {}),
      ...(state ? { state } : {}),
    },
  };
}
