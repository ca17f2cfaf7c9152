import type Stripe from 'stripe';
import type { StripeIssuingSettings } from '../../../kernel/config/stripe';
import type { Database } from '../../../kernel/db/database';
import { UnreadableAnswer } from '../../../process/party-errors';
import { orUnknown } from '../../protocol/answers';
import { createStripeClient, type StripeClientOptions } from '../../stripe/client';
import { verifiedEvent } from '../../stripe/event';
import { changesFromEvents } from '../../stripe/event-list';
import { namesOf } from '../../stripe/names';
import { changing, isOurs, reading } from '../../stripe/requests';
import type { Application, CardholderReview } from '../port';
import type { ReviewWord } from '../word';
import { type CityName, cardholderParams, KEYS } from './person';
import { wordOf } from './word';

export interface StripeRegistryOptions
  extends Pick<StripeIssuingSettings, 'secretKey' | 'webhookSecrets'>,
    Pick<StripeClientOptions, 'server'> {
  database: Database;
  cityName: CityName;
  now?: () => Date;
}

const TYPES = ['issuing_cardholder.created', 'issuing_cardholder.updated'];

/**
 * Stripe as the registry of cardholders. An application creates Stripe's cardholder, and a later one updates it. Stripe
 * reviews the person against its requirements.
 */
export function createStripeRegistry(options: StripeRegistryOptions): CardholderReview {
  const { webhookSecrets: secrets, database, cityName, now = () => new Date() } = options;
  const stripe = createStripeClient(options);
  const names = namesOf(database, 'cardholderReview');

  /**
   * A cardholder that Stripe took although we lost its answer, if one has the field in its metadata. Stripe's lists search
   * by mail address, not by metadata.
   */
  async function findTaken(email: string | undefined, field: string, value: string) {
    if (email === undefined) return undefined;
    const found = await reading(() =>
      stripe.issuing.cardholders.list({ email, limit: 100 }).autoPagingToArray({ limit: 1_000 }),
    );
    return found.find(({ metadata }) => metadata?.[field] === value);
  }

  const create = (params: Stripe.Issuing.CardholderCreateParams, idempotencyKey: string) =>
    changing(() => stripe.issuing.cardholders.create(params, { idempotencyKey }));

  const update = (id: string, params: Stripe.Issuing.CardholderUpdateParams, idempotencyKey: string) =>
    changing(() => stripe.issuing.cardholders.update(id, params, { idempotencyKey }));

  /** Stripe changes no cardholder's name. A person with another name is therefore a new cardholder there. */
  async function register(application: Application): Promise<Stripe.Issuing.Cardholder> {
    const { key, cardholderId, person } = application;
    const params = cardholderParams(application, cityName);
    const id =
      (await names.idOf(cardholderId)) ??
      (await findTaken(person['email'], KEYS.cardholder, cardholderId))?.id;
    if (id === undefined) return create(params, key);
    const known = await reading(() => stripe.issuing.cardholders.retrieve(id));
    const { type: _, name, ...changes } = params;
    if (known.name === name) return update(id, changes, `${key}-update`);
    // No card of the former cardholder exists, because a person gets cards only after a passed review.
    await update(id, { status: 'inactive' }, `${key}-inactive`);
    return (await findTaken(person['email'], KEYS.application, key)) ?? create(params, key);
  }

  return {
    async submit(application): Promise<ReviewWord> {
      const cardholder = await register(application);
      if (typeof cardholder.id !== 'string') throw new UnreadableAnswer();
      await names.keep([application.key, application.cardholderId], cardholder.id);
      return wordOf(cardholder);
    },
    async outcome(key) {
      const id = await names.idOf(key);
      if (id === undefined) return 'unknown_to_party';
      return orUnknown(reading(() => stripe.issuing.cardholders.retrieve(id)).then(wordOf));
    },
    restrictsLater: true,
    changes: changesFromEvents(stripe, {
      types: TYPES,
      now,
      changesIn: (events) =>
        events.flatMap((event) => {
          const ref = keyIn(event);
          return ref === undefined ? [] : [{ id: event.id, ref }];
        }),
    }),
    verify(raw, headers) {
      const event = verifiedEvent(stripe, raw, headers, { secrets, at: now() });
      return event && { externalId: event.id, ref: keyIn(event) ?? null };
    },
  };
}

/** The key of the last application of an event's cardholder. Undefined where we have not registered it. */
function keyIn({ type, data }: Stripe.Event): string | undefined {
  const cardholder = data.object as unknown as { metadata?: Record<string, string> | null };
  return TYPES.includes(type) && isOurs(cardholder) ? cardholder.metadata?.[KEYS.application] : undefined;
}
