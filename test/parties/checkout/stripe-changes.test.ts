import type { CheckoutParty } from '../../../src/parties/checkout/port';
import type { ChangesPage } from '../../../src/parties/protocol/changes';
import { PartyAway } from '../../../src/process/party-errors';
import { type Answer, type Json, NOW, session, stripeServer } from './stripe-server';

/** An account that lists events as Stripe does: newest first, in pages, for a span of time. */

const AT = NOW.getTime() / 1000;
const PAGE = 100;

let events: Json[];
let breaks: boolean;
let stripe: Awaited<ReturnType<typeof stripeServer>>;
let party: CheckoutParty;

const answer: Answer = async ({ path, query }) => {
  if (breaks) return undefined;
  if (path === '/v1/events') return { status: 200, body: JSON.stringify(listed(query)) };
  const { payment_intent: asked = '' } = query;
  const ours = asked.startsWith('pi_ours');
  const found = { ...session({ id: asked.replace('pi', 'cs') }), ...(ours ? {} : { metadata: {} }) };
  return { status: 200, body: JSON.stringify({ object: 'list', data: [found], has_more: false }) };
};

function listed(query: Record<string, string>): Json {
  const { 'created[gt]': from, 'created[lte]': to, starting_after: place } = query;
  const span = events
    .filter(({ created }) => created > Number(from) && created <= Number(to))
    .sort((a, b) => b['created'] - a['created']);
  const begin = place === undefined ? 0 : span.findIndex(({ id }) => id === place) + 1;
  const data = span.slice(begin, begin + PAGE);
  return { object: 'list', url: '/v1/events', data, has_more: begin + PAGE < span.length };
}

const event = (id: string, created: number, object: unknown): Json => ({
  id,
  object: 'event',
  type: 'refund.updated',
  created,
  data: { object },
});

const ofPayment = (id: string, created: number, intent = 'pi_ours_1') =>
  event(id, created, { object: 'refund', id: 're_1', payment_intent: intent });

beforeAll(async () => {
  stripe = await stripeServer(() => answer);
  party = stripe.adapter;
});
beforeEach(() => {
  events = [];
  breaks = false;
  stripe.requests.length = 0;
});
afterAll(() => stripe.close());

/** Reads pages from a cursor until there are no more. */
async function readAll(after: string | null) {
  const pages: ChangesPage[] = [];
  for (let place = after; ; ) {
    const page = await party.changes(place);
    pages.push(page);
    if (!page.more) return { changes: pages.flatMap(({ changes }) => changes), place: page.next, pages };
    if (page.next === place) throw new Error('more, from the same place');
    place = page.next;
  }
}

it('lists the sessions of events, oldest first, without those of other programs', async () => {
  events = [
    event('evt_1', AT - 30, { ...session({ id: 'cs_7' }) }),
    ofPayment('evt_2', AT - 20),
    event('evt_3', AT - 15, { ...session({ id: 'cs_8' }), metadata: {} }),
    ofPayment('evt_4', AT - 12, 'pi_other'),
    event('evt_5', AT - 11, { object: 'balance' }),
    ofPayment('evt_6', AT - 10),
  ];
  const { changes, place } = await readAll(String(AT - 60));
  expect(changes).toEqual([
    { id: 'evt_1', ref: 'cs_7' },
    { id: 'evt_2', ref: 'cs_ours_1' },
    { id: 'evt_6', ref: 'cs_ours_1' },
  ]);
  // The session of each payment is read once a page.
  expect(stripe.requests.filter(({ path }) => path === '/v1/checkout/sessions')).toHaveLength(2);
  events.push(ofPayment('evt_7', AT - 5));
  expect((await readAll(place)).changes).toEqual([{ id: 'evt_7', ref: 'cs_ours_1' }]);
});

it('names the types of events within the limit of one request', async () => {
  await readAll(String(AT - 60));
  const types = Object.entries(stripe.requests[0]?.query ?? {}).flatMap(([name, type]) =>
    name.startsWith('types[') ? [type] : [],
  );
  expect(types.length).toBeLessThanOrEqual(20);
  expect(types).toEqual(
    expect.arrayContaining(['checkout.session.completed', 'refund.failed', 'charge.dispute.closed']),
  );
});

it('starts with the oldest stored event, and loses none of many', async () => {
  const old = Array.from({ length: 30 }, (_, day) =>
    ofPayment(`evt_old_${day}`, AT - (29 - day) * 86_400 - 10),
  );
  const many = Array.from({ length: 450 }, (_, n) => ofPayment(`evt_many_${n}`, AT - 5_000 + n * 10));
  const burst = Array.from({ length: 320 }, (_, n) => ofPayment(`evt_burst_${n}`, AT - 40 + (n % 5)));
  events = [...old, ...many, ...burst];
  const { changes, place } = await readAll(null);
  const read = changes.map(({ id }) => id);
  expect(read).toHaveLength(new Set(read).size);
  expect(new Set(read)).toEqual(new Set(events.map(({ id }) => id)));
  const ages = read.map((id) => events.find((one) => one['id'] === id)?.['created']);
  expect(ages).toEqual([...ages].sort((a, b) => a - b));
  expect((await readAll(place)).changes).toEqual([]);
});

it('keeps its cursor while there are no events', async () => {
  events = [ofPayment('evt_1', AT - 50)];
  const { place } = await readAll(null);
  expect(place).toBe(String(AT - 50));
  expect(await party.changes(place)).toEqual({ changes: [], unreadable: [], next: place, more: false });
  // An event listed late, within a second that was read before. The readers' overlap finds it.
  events.push(ofPayment('evt_2', AT - 60));
  expect((await readAll(String(AT - 170))).changes.map(({ id }) => id)).toEqual(['evt_2', 'evt_1']);
  // A cursor older than Stripe's oldest event.
  expect((await readAll('1000')).changes).toHaveLength(2);
});

it('skips an unreadable event', async () => {
  events = [
    { id: 'evt_1', object: 'event', created: AT - 30 },
    event('evt_2', AT - 20, null),
    ofPayment('evt_3', AT - 10),
  ];
  const page = await party.changes(String(AT - 60));
  expect(page).toMatchObject({ unreadable: ['evt_1', 'evt_2'], changes: [{ id: 'evt_3' }], more: false });
});

it('throws PartyAway when Stripe is unreachable', async () => {
  breaks = true;
  await expect(party.changes(null)).rejects.toThrow(PartyAway);
});
