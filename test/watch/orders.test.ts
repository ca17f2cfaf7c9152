/** @long */
import { orderCard } from '../../src/cards/orders/issuance';
import type { WatchedParty } from '../../src/kernel/outbox/queues';
import type { ChangesPage } from '../../src/parties/protocol/changes';
import { createReading, watchParty } from '../../src/watch/watch';
import { requestedCard } from '../cards/cards/support';
import { decide, pending, setReview, statusOf, steps } from '../people/cardholders/support';
import { type Client, type TestApi, testApi } from '../support/api';

/** Lists of parties that only take orders, while every callback is lost. */

let api: TestApi;
let client: Client;
const clock = { at: new Date() };
const pass = (seconds: number) => void (clock.at = new Date(clock.at.getTime() + seconds * 1_000));
beforeAll(async () => {
  api = await testApi({ now: () => clock.at, publicUrl: () => 'http://127.0.0.1:9' });
  client = await api.client();
  await setReview(api, client.clientId, 'manual');
});
afterAll(() => api.close());

const looks = (workflowId: string) =>
  api.commands.filter((command) => command.workflowId === workflowId && command.action === 'look').length;

/**
 * Runs turns of the watcher, three seconds apart, until it tells the workflow.
 * @returns seconds until then
 */
async function secondsUntilTold(reading: ReturnType<typeof createReading>, workflowId: string) {
  const before = looks(workflowId);
  for (let seconds = 0; seconds <= 90; seconds += 3) {
    await reading.read();
    if (looks(workflowId) > before) return seconds;
    pass(3);
  }
  return Number.POSITIVE_INFINITY;
}

it('tell of a card within ninety seconds of its decision', async () => {
  const { id } = await requestedCard(api, client, { label: 'sandbox:slow' });
  expect(await orderCard(api.services, id)).toBe('processing');
  const reading = createReading(api.services, 'cardProcessor');
  for (let turn = 0; turn < 5; turn += 1, pass(3)) await reading.read();
  expect(looks(`card-issuance-${id}`)).toBe(0); // it knows that the order was taken
  pass(20);
  expect(await secondsUntilTold(reading, `card-issuance-${id}`)).toBeLessThanOrEqual(90);
  expect(await orderCard(api.services, id)).toBe('active');
});

it('tell of a cardholder within ninety seconds of the decision', async () => {
  const { id } = await pending(api, client, { accountPurpose: 'sandbox:slow' });
  await decide(api, id, 'approved');
  const { submit } = steps(api.services);
  expect(await submit(id)).toBe('processing');
  const reading = createReading(api.services, 'cardholderReview');
  for (let turn = 0; turn < 5; turn += 1, pass(3)) await reading.read();
  expect(await submit(id)).toBe('processing');
  pass(20);
  expect(await secondsUntilTold(reading, `cardholder-submission-${id}`)).toBeLessThanOrEqual(90);
  expect(await submit(id)).toBe('pass_audit');
  expect(await statusOf(client, id)).toBe('pass_audit');
});

it('tell nobody of known changes, however often they are read', async () => {
  const before = api.commands.length;
  for (const party of ['cardProcessor', 'cardholderReview'] as const)
    for (let begun = 0; begun < 2; begun += 1) {
      const reading = createReading(api.services, party);
      for (let turn = 0; turn < 3; turn += 1, pass(31)) await reading.read();
    }
  expect(api.commands).toHaveLength(before);
});

it('tell all orders when read from the beginning: open ones at once, ended ones a few at a time', async () => {
  const cards: string[] = [];
  for (let each = 0; each < 18; each += 1) cards.push((await requestedCard(api, client)).id);
  for (const id of cards) await orderCard(api.services, id);
  pass(1);
  for (const id of cards) expect(await orderCard(api.services, id)).toBe('active');
  const open = (await requestedCard(api, client, { label: 'sandbox:slow' })).id;
  await orderCard(api.services, open);
  // The list is then read from its beginning, because no place is stored.
  await api.database.query('truncate party_places, list_anchors, party_orders');
  const all = [...cards, open].map((id) => ({ id, ref: `issue-${id}`, version: 2 }));
  const own = api.services.parties.cardProcessor;
  const changes = async () => ({ changes: all, unreadable: [], next: 'end', more: false });
  Object.assign(api.services.parties, { cardProcessor: { ...own, changes } });
  const before = new Map([...cards, open].map((id) => [id, looks(`card-issuance-${id}`)]));
  const told = () => cards.filter((id) => looks(`card-issuance-${id}`) > (before.get(id) ?? 0)).length;
  try {
    const reading = createReading(api.services, 'cardProcessor');
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn += 1, pass(3)) {
      await reading.read();
      counts.push(told());
      if (turn === 1) expect(looks(`card-issuance-${open}`)).toBe((before.get(open) ?? 0) + 1);
    }
    expect(counts).toEqual([0, 15, 18, 18]);
  } finally {
    Object.assign(api.services.parties, { cardProcessor: own });
  }
  const [{ count } = { count: 0 }] = await api.database.query<{ count: number }>(
    'select count(*)::int as count from party_orders where due_by is not null and not in_turn',
  );
  expect(count).toBe(19); // until each was asked for
  for (const id of cards) await orderCard(api.services, id);
  const heard = await api.database.query('select from party_orders where version is null or in_turn');
  expect(heard).toHaveLength(1);
});

describe.each<[WatchedParty, string]>([
  ['cardProcessor', 'issue-card_01h2xcejqtf2nbrexx3vqjhp41'],
  ['cardholderReview', 'submission-chd_01h2xcejqtf2nbrexx3vqjhp41-1'],
])('the list of %s', (party, ref) => {
  type Row = { id: string; ref: string };
  let rows: Row[];
  /** A list with positions as places, as after a restore. */
  const changes = async (after: string | null): Promise<ChangesPage> => {
    const from = Math.min(Number(after ?? 0), rows.length);
    const page = rows.slice(from, from + 2);
    return { changes: page, unreadable: [], next: String(from + page.length), more: from + 2 < rows.length };
  };
  let own: TestApi['services']['parties'][typeof party];
  beforeEach(async () => {
    own = api.services.parties[party];
    Object.assign(api.services.parties, { [party]: { ...own, changes } });
    await api.database.query('truncate party_places, list_anchors, breaks');
  });
  afterEach(() => void Object.assign(api.services.parties, { [party]: own }));

  const openBreaks = async () =>
    (await api.database.query('select kind from breaks where resolved_at is null order by kind')).map(
      ({ kind }) => kind,
    );

  it('shows a name that no order has', async () => {
    rows = [{ id: 'c1', ref }];
    const reading = createReading(api.services, party);
    for (let turn = 0; turn < 2; turn += 1, pass(3)) await reading.read();
    expect(await openBreaks()).toEqual(['party_order_unknown']);
  });

  it('is shown and read from its beginning when it shrinks', async () => {
    rows = ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => ({ id, ref }));
    const reading = createReading(api.services, party);
    for (let turn = 0; turn < 3; turn += 1, pass(3)) await reading.read();
    rows = [...rows.slice(0, 2), { id: 'anew', ref: `${ref}0` }];
    for (let turn = 0; turn < 6; turn += 1, pass(40)) await reading.read();
    expect(await openBreaks()).toEqual(['party_list_shrunk', 'party_order_unknown', 'party_order_unknown']);
  });

  it('is shown after a minute when it loops', async () => {
    Object.assign(api.services.parties, {
      [party]: {
        ...own,
        changes: async (after: string | null) => ({
          changes: [{ id: `c-${after}`, ref }],
          unreadable: [],
          next: after === 'a' ? 'b' : 'a',
          more: true,
        }),
      },
    });
    const ending = new AbortController();
    let turns = 4;
    const beat = () => {
      pass(61);
      turns -= 1;
      if (turns < 0) ending.abort();
    };
    await watchParty(api.services, party, { signal: ending.signal, beat, everyMs: 1, beatMs: 600_000 });
    expect(await openBreaks()).toContain('party_list_unreadable');
  });
});
