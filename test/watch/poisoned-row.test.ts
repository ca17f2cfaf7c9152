/** @long */
import type { ChangesPage, PartyChange } from '../../src/parties/protocol/changes';
import { listAgeReading } from '../../src/watch/metrics';
import { createReading, watchParty } from '../../src/watch/watch';
import type { TestApi } from '../support/api';
import { type Clock, onClock } from '../transfers/external-cards/support';

/** A row of a party's list that cannot be applied is passed and shown to people. The watcher never rests in silence. */

let api: TestApi & { clock: Clock };
let rows: PartyChange[];
/** Called before each page is answered. */
let before: () => void;
beforeEach(async () => {
  api = await onClock();
  [rows, before] = [[], () => undefined];
  Object.assign(api.services.parties, { bank: { ...api.services.parties.bank, changes } });
});
afterEach(() => api.close());

/** A list in pages of fifty with positions as places. */
async function changes(after: string | null): Promise<ChangesPage> {
  before();
  const from = Number(after ?? 0);
  const page = rows.slice(from, from + 50);
  const end = from + page.length;
  return { changes: page, unreadable: [], next: String(end), more: end < rows.length };
}

/** Postgres stores no text with this character, so that the row fails wherever its name is used. */
const POISON = { id: 'poison', ref: 'poison-\u0000' };
const row = (index: number): PartyChange => ({ id: `c${index}`, ref: `credit-${index}` });
const rowsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, each) => row(first + each));
const told = () => new Set(api.commands.map(({ args }) => String(args[0])));
const openBreaks = () =>
  api.database.query<{ kind: string; detail: string }>(
    `select kind, detail from breaks where subject = 'bank' and resolved_at is null`,
  );

/** Turns of the bank's watcher, some seconds apart. */
async function watched(turns: number, seconds = 3): Promise<void> {
  const ending = new AbortController();
  let left = turns;
  const beat = () => {
    api.clock.pass(seconds);
    left -= 1;
    if (left < 0) ending.abort();
  };
  await watchParty(api.services, 'bank', { signal: ending.signal, beat, everyMs: 1, beatMs: 600_000 });
}

it('passes a poisoned row under load, and applies all later rows', async () => {
  rows = [...rowsFrom(0, 130), POISON, ...rowsFrom(130, 120)];
  before = () => void (rows.length < 1_000 && rows.push(...rowsFrom(rows.length - 1, 30)));
  // Two watchers at once, as while a worker is replaced.
  await Promise.all([watched(8), watched(8)]);
  expect(rows.length).toBeGreaterThanOrEqual(700);
  const missing = rows.filter(({ ref }) => ref !== POISON.ref && !told().has(ref));
  expect(missing).toEqual([]);
  expect(await openBreaks()).toEqual([
    { kind: 'party_row_not_applied', detail: expect.stringMatching(/^poison: sha256 [0-9a-f]{12}$/) },
  ]);
});

it('passes a poisoned row that stands alone on its page, and reads on from there', async () => {
  rows = [POISON];
  await watched(3);
  rows.push(row(1));
  await watched(3);
  expect([...told()]).toEqual(['credit-1']);
  expect(await openBreaks()).toHaveLength(1);
});

it('applies a passed row when it can be applied again, and closes its break', async () => {
  await api.database.query(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.ref = 'credit-2' then raise 'refused'; end if; return new; end $$`);
  await api.database.query(
    'create trigger refuse before insert on reported_names for each row execute function refuse()',
  );
  rows = rowsFrom(1, 3);
  const reading = createReading(api.services, 'bank');
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn += 1, api.clock.pass(16)) await reading.read();
  };
  await turns(2);
  expect([...told()]).toEqual(['credit-1', 'credit-3']);
  expect(await openBreaks()).toEqual([{ kind: 'party_row_not_applied', detail: 'c2: credit-2' }]);
  await api.database.query('drop trigger refuse on reported_names');
  await turns(4);
  expect(told()).toContain('credit-2');
  expect(await openBreaks()).toEqual([]);
});

it('passes no row where more than twenty fail, because the fault is ours', async () => {
  await api.database.query('alter table reported_names rename to elsewhere');
  rows = rowsFrom(0, 30);
  await watched(4, 31);
  expect((await openBreaks()).map(({ kind }) => kind)).toEqual(['party_list_unreadable']);
  await api.database.query('alter table elsewhere rename to reported_names');
  await watched(3);
  expect(told().size).toBe(30);
  expect(await openBreaks()).toEqual([]);
});

it('goes on after an error that nobody foresaw, and shows it after a minute', async () => {
  rows = rowsFrom(0, 3);
  before = () => {
    throw new TypeError('nobody foresaw it');
  };
  await watched(4, 31);
  expect((await openBreaks()).map(({ kind }) => kind)).toEqual(['party_list_unreadable']);
  before = () => undefined;
  await watched(3);
  expect(told().size).toBe(3);
  expect(await openBreaks()).toEqual([]);
});

it('tells the age of the last reading of each list, and counts one that was never read from the start', async () => {
  const reading = listAgeReading(api.services);
  const ages = async () =>
    Object.fromEntries(
      (await reading.read(api.database)).map(({ labels, value }) => [Object.values(labels)[0], value]),
    );
  api.clock.pass(60);
  expect(await ages()).toMatchObject({ bank: 60, payouts: 60 });
  await watched(1, 0);
  before = () => {
    throw new TypeError('nobody foresaw it');
  };
  api.clock.pass(100);
  await watched(3, 0);
  expect(await ages()).toMatchObject({ bank: 100, payouts: 160 });
  before = () => undefined;
  await watched(1, 0);
  expect(await ages()).toMatchObject({ bank: 0, payouts: 160 });
});

it('tells no age of a list whose party is left out', async () => {
  const switches = { ...api.services.switches, partyAtOnce: () => 'left_out' as const };
  expect(await listAgeReading({ ...api.services, switches }).read(api.database)).toEqual([]);
});
