import Stripe from 'stripe';
import { type Json, type StripeAnswer, type StripeRequest, serveStripe } from './http-server';

/**
 * An account at Stripe with Issuing, in the place of Stripe: it keeps cards, cardholders, authorizations, events and a
 * balance, and changes them as Stripe documents. Amounts are in minor units.
 */

export const SECRET = 'whsec_issuing0123456789';
const OTHER_VERSION = '2024-06-20';

const stripe = new Stripe('sk_test_123');

export type StripeAccount = Awaited<ReturnType<typeof stripeAccount>>;

export async function stripeAccount({ now = () => new Date() } = {}) {
  const cards = new Map<string, Json>();
  const cardholders = new Map<string, Json>();
  const events: Json[] = [];
  const byKey = new Map<string, { request: string; object: Json }>();
  const balance: { usd: number; eur?: number } = { usd: 1_000_000 };
  const state = {
    hidesNumbers: false,
    /** Requests whose connection breaks. */
    breaks: 'none' as 'none' | 'writes' | 'all',
    forgetsKeys: false,
    balance,
    /** Requirements of cardholders that are created from now on. Default: none. */
    requirements: undefined as Json | undefined,
  };
  let made = 0;

  const seconds = () => Math.floor(now().getTime() / 1000);
  const nextId = (prefix: string) => `${prefix}_${(made += 1)}`;

  /** An event about a copy of the object, as it is now. */
  function event(type: string, object: Json, previous?: Json): Json {
    return {
      id: nextId('evt'),
      object: 'event',
      type,
      created: seconds(),
      api_version: OTHER_VERSION,
      data: { object: structuredClone(object), ...(previous ? { previous_attributes: previous } : {}) },
    };
  }

  function listed(type: string, object: Json, previous?: Json): Json {
    const made = event(type, object, previous);
    events.push(made);
    return made;
  }

  function create(request: StripeRequest, make: () => Json): StripeAnswer {
    const known = request.key === undefined ? undefined : byKey.get(request.key);
    const text = JSON.stringify(request.fields);
    if (known && !state.forgetsKeys) {
      if (known.request === text) return { status: 200, body: known.object };
      return failure(400, 'idempotency_key_reused', 'idempotency_error');
    }
    const object = make();
    if (request.key !== undefined) byKey.set(request.key, { request: text, object });
    return { status: 200, body: object };
  }

  function madeCard({ fields }: StripeRequest): Json {
    const card = {
      id: nextId('ic'),
      object: 'issuing.card',
      last4: '4242',
      exp_month: 12,
      exp_year: 2031,
      ...fields,
      cardholder: cardholders.get(fields['cardholder']) ?? { id: fields['cardholder'] },
    };
    cards.set(card.id, card);
    listed('issuing_card.created', card);
    return card;
  }

  function madeCardholder({ fields }: StripeRequest): Json {
    const { requirements = { disabled_reason: null, past_due: [] } } = state;
    const cardholder = { id: nextId('ich'), object: 'issuing.cardholder', requirements, ...fields };
    cardholders.set(cardholder.id, cardholder);
    listed('issuing_cardholder.created', cardholder);
    return cardholder;
  }

  function changed(objects: Map<string, Json>, type: string, id: string, fields: Json): StripeAnswer {
    const object = objects.get(id);
    if (!object) return failure(404, 'resource_missing');
    if (object['status'] === 'canceled') return failure(400, 'card_canceled');
    const { metadata, ...rest } = fields;
    Object.assign(object, rest, { metadata: { ...object['metadata'], ...metadata } });
    listed(type, object, {});
    return { status: 200, body: object };
  }

  function answer(request: StripeRequest): StripeAnswer {
    const { method, path, query, fields } = request;
    if (state.breaks === 'all' || (state.breaks === 'writes' && method === 'POST')) return undefined;
    const [, , area = '', kind = '', id = ''] = path.split('/');
    if (area === 'balance')
      return {
        status: 200,
        body: {
          object: 'balance',
          issuing: { available: Object.entries(balance).map(([currency, amount]) => ({ currency, amount })) },
        },
      };
    if (area === 'events')
      return kind ? found(events.find((each) => each['id'] === kind)) : listOfEvents(query);
    if (kind === 'cards') {
      if (method === 'POST')
        return id
          ? changed(cards, 'issuing_card.updated', id, fields)
          : create(request, () => madeCard(request));
      if (!id)
        return list([...cards.values()].filter((card) => card['cardholder'].id === query['cardholder']));
      const card = cards.get(id);
      const secrets = { number: '4242424242424242', cvc: '123' };
      const isExpanded = query['expand[0]'] === 'number' && !state.hidesNumbers;
      return found(card && isExpanded ? { ...card, ...secrets } : card);
    }
    if (kind === 'cardholders') {
      if (method === 'POST')
        return id
          ? changed(cardholders, 'issuing_cardholder.updated', id, fields)
          : create(request, () => madeCardholder(request));
      return id
        ? found(cardholders.get(id))
        : list([...cardholders.values()].filter(({ email }) => email === query['email']));
    }
    return failure(404, 'resource_missing');
  }

  /** Newest first, in pages of a hundred, for a span of time. */
  function listOfEvents(query: Record<string, string>): StripeAnswer {
    const { 'created[gt]': from, 'created[lte]': to, starting_after: place } = query;
    const types = Object.entries(query).flatMap(([name, type]) => (name.startsWith('types[') ? [type] : []));
    const span = events
      .filter(({ created, type }) => created > Number(from) && created <= Number(to) && types.includes(type))
      .reverse()
      .sort((one, other) => other['created'] - one['created']);
    const begin = place === undefined ? 0 : span.findIndex(({ id }) => id === place) + 1;
    const body = { object: 'list', url: '/v1/events', data: span.slice(begin, begin + 100) };
    return { status: 200, body: { ...body, has_more: begin + 100 < span.length } };
  }

  const served = await serveStripe(answer);
  return {
    ...served,
    state,
    events,
    cards,
    cardholders,
    listed,
    event,
    seconds,
    nextId,
    signed(event: Json | string, secret = SECRET, at = now()) {
      const payload = typeof event === 'string' ? event : JSON.stringify(event);
      const timestamp = Math.floor(at.getTime() / 1000);
      const header = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      return { raw: Buffer.from(payload), headers: { 'stripe-signature': header } };
    },
  };
}

const found = (object: Json | undefined): StripeAnswer =>
  object ? { status: 200, body: object } : failure(404, 'resource_missing');

const list = (data: Json[]): StripeAnswer => ({
  status: 200,
  body: { object: 'list', url: '/', data, has_more: false },
});

export const failure = (status: number, code: string, type = 'invalid_request_error'): StripeAnswer => ({
  status,
  body: { error: { type, code, message: `Stripe does not like sk_test_123: ${code}` } },
});
