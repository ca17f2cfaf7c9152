/** @long plays every malformed list of every party. */
import { checkLedger } from '../../../src/kernel/ledger/check';
import type { CallingParty } from '../../../src/kernel/parties';
import { watchParty } from '../../../src/watch/watch';
import { badWorld, books, type Json, MAKE, type Made, openBreaks, type Page, type World } from './world';

/** Invalid entries in the list of each party. The valid entries beside them still have their effect. */

let world: World;
let made: Made;
let before: unknown;
beforeAll(async () => {
  world = await badWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  expect(await checkLedger(world.api.database)).toEqual([]);
  expect(JSON.stringify(world.lines)).not.toContain('Miller');
  expect(await books(world)).toEqual(before);
});

const PARTIES: CallingParty[] = ['checkout', 'payouts', 'externalCards', 'bank', 'exchange'];

/** Runs turns of the party's watcher, some seconds apart. */
async function watched(party: CallingParty, turns: number, seconds = 3): Promise<void> {
  const ending = new AbortController();
  let left = turns;
  const beat = () => {
    world.clock.pass(seconds);
    left -= 1;
    if (left < 0) ending.abort();
  };
  await watchParty(world.api.services, party, { signal: ending.signal, beat, everyMs: 1, beatMs: 600_000 });
}

const row = (id: string, ref = made.ref, version = 9): Json => ({ id, ref, version });
const page = (changes: unknown[], next: string | null, more = false): Page => ({ changes, next, more });

/** A list with positions as places, so that the list can shrink. */
const listOf =
  (rows: readonly Json[], size = 2) =>
  (after: string | null): Page => {
    const from = Math.min(Number(after ?? 0), rows.length);
    const changes = rows.slice(from, from + size);
    return page(changes, String(from + changes.length), from + size < rows.length);
  };

/** Signals to the transfer so far. */
const looks = () =>
  world.api.commands.filter(({ args }) => [made.id, made.ref].includes(String(args[0]))).length;

describe.each(PARTIES)('the list of %s', (party) => {
  beforeEach(async () => {
    world.client = await world.api.client();
    await world.api.database.query('truncate breaks, party_places, list_anchors, unreadable_lists');
    world.party.list = () => page([], null);
    made = await MAKE[party](world);
    before = await books(world);
    world.api.commands.length = 0;
    world.forget();
  });

  it('with unreadable rows is read on, with one break for each row', async () => {
    const wrong = [
      null,
      'Mr Miller',
      { id: 'c1', ref: 7 },
      { id: 'Mr Miller' },
      row('c0', 'Mr Miller\u0000'),
    ];
    world.party.list = (after) => (after === null ? page([...wrong, row('good')], 'p1') : page([], 'p1'));
    await watched(party, 4, 40);
    expect(looks()).toBe(1);
    expect(world.observed).toEqual(wrong.map(() => `${party} list_row`));
    expect(world.lines).toHaveLength(wrong.length);
    expect(world.lines[2]).toMatchObject({ party, row: 'c1: ref' });
    expect(await openBreaks(world, party)).toEqual(wrong.map(() => 'party_row_unreadable'));
  });

  it('with an unknown name opens a break, and signals the other transfers', async () => {
    const ref = `listed-${party}`;
    world.party.list = listOf([row('c1', ref), row('c2')]);
    await watched(party, 3);
    expect(looks()).toBe(1);
    const alone = party !== 'checkout' && party !== 'bank';
    expect(await openBreaks(world, ref)).toEqual(alone ? ['party_order_unknown'] : []);
    expect(world.observed).toEqual(alone ? [`${party} unknown_name`] : []);
    // Checkout and bank may have money without an order, so their unknown names are looked into.
    const begun = world.api.commands.filter(({ args }) => args[0] === ref).length;
    expect(begun).toBe(alone ? 0 : 1);
  });

  it('with repeated rows and pages sends one signal for each row', async () => {
    const rows = [row('c1'), row('c1'), row('c2')];
    const pages = [page(rows, 'a', true), page(rows, 'b', true), page(rows, 'c')];
    world.party.list = (after) => pages[after === null ? 0 : 'abc'.indexOf(after) + 1] ?? page(rows, 'c');
    await watched(party, 5);
    expect([looks(), world.observed]).toEqual([1, []]);
  });

  it.each<[string, string, (after: string | null) => Page]>([
    ['goes back', 'list_repeats', (after) => page([row(`c-${after}`)], after === 'a' ? 'b' : 'a', true)],
    ['announces more and stands still', 'list_endless', (after) => page([row('c1')], `${after}x`, true)],
    ['is empty for ever', 'list_endless', (after) => page([], `${after}x`.slice(0, 900), true)],
  ])('that %s opens a break after a minute, and is not trusted meanwhile', async (_, fault, list) => {
    let pages = 0;
    world.party.list = (after) => {
      pages += 1;
      return list(after);
    };
    await watched(party, 2);
    expect(new Set(world.observed)).toEqual(new Set([`${party} ${fault}`, `${party} unreadable list`]));
    expect(pages).toBeLessThanOrEqual(2 * 51);
    expect(world.lines[0]).toMatchObject({ party, fault });
    expect(await openBreaks(world, party)).toEqual([]);
    await watched(party, 2, 61);
    expect(await openBreaks(world, party)).toEqual(['party_list_unreadable']);
    // The readable list still has the earlier entries.
    const rows = ['c-null', 'c-a', 'c-b', 'c1', 'last'].map((id) => row(id));
    world.party.list = () => page(rows, 'z');
    await watched(party, 3);
    expect([await openBreaks(world, party), looks() > 0]).toEqual([[], true]);
  });

  it('that shrinks opens a break, and is read from its beginning', async () => {
    const rows = ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => row(id));
    world.party.list = listOf(rows);
    await watched(party, 3);
    expect([looks() > 0, world.observed]).toEqual([true, []]);
    world.api.commands.length = 0;
    // The party was restored from a backup, so a new entry is before the last read place.
    world.party.list = listOf([...rows.slice(0, 2), row('c3-anew', made.ref, 10)]);
    await watched(party, 4, 40);
    expect(world.observed).toEqual([`${party} list_shrunk`]);
    expect(world.lines).toEqual([expect.objectContaining({ party, change: 'c5' })]);
    expect(await openBreaks(world, party)).toEqual(['party_list_shrunk']);
    expect(looks()).toBeGreaterThan(0);
    await watched(party, 4, 40);
    expect(world.observed).toHaveLength(1);
  });

  it('with late rows before the last read place does not count as shrunk', async () => {
    const rows = ['c1', 'c2', 'c3'].map((id) => row(id));
    world.party.list = listOf(rows);
    await watched(party, 3);
    world.party.list = listOf([
      ...rows.slice(0, 2),
      row('late-1'),
      row('late-2'),
      row('late-3'),
      ...rows.slice(2),
    ]);
    await watched(party, 4, 40);
    expect(world.observed).toEqual([]);
  });
});
