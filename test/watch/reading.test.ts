import type { ChangesPage, PartyChange } from '../../src/parties/protocol/changes';
import { PartyAway } from '../../src/process/party-errors';
import { noteLostCommits } from '../../src/watch/lost-commits';
import { createReading, watchParty } from '../../src/watch/watch';
import type { TestApi } from '../support/api';
import { type Clock, onClock } from '../transfers/external-cards/support';

/** Every change of a party's list is told, whatever happens to the party or to the process that reads. */

let api: TestApi & { clock: Clock };
let list: Listed;
beforeEach(async () => {
  api = await onClock();
  list = listed();
  api.services.parties.bank = { ...api.services.parties.bank, changes: (after) => list.changes(after) };
});
afterEach(() => api.close());

interface Listed {
  rows: PartyChange[];
  changes(after: string | null): Promise<ChangesPage>;
  /** Where each requested page began. */
  asked: (string | null)[];
  /** Called before each answer, with the number of the page. */
  before: (page: number) => void | Promise<void>;
}

/** A list in pages of a hundred. A place is the name of the row before it, so that a row may later appear before it. */
function listed(): Listed {
  const made: Listed = {
    rows: [],
    asked: [],
    before: () => undefined,
    async changes(after) {
      made.asked.push(after);
      await made.before(made.asked.length);
      const from = after === null ? 0 : made.rows.findIndex(({ id }) => id === after) + 1;
      const changes = made.rows.slice(from, from + 100);
      const next = changes.at(-1)?.id ?? after;
      return { changes, unreadable: [], next, more: from + 100 < made.rows.length };
    },
  };
  return made;
}

const changesNamed = (prefix: string, count: number): PartyChange[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}-${index}`, ref: `${prefix}-${index}` }));

const told = () => [...new Set(api.commands.map(({ args }) => String(args[0])))].sort();
const names = (changes: readonly PartyChange[]) => changes.map(({ ref }) => ref).sort();
const reading = () => createReading(api.services, 'bank');

it('tells the last changes although their reader was killed before its next turn', async () => {
  list.rows.push(...changesNamed('before', 3));
  const killed = reading();
  for (let turn = 0; turn < 100; turn += 1) {
    await killed.read();
    api.clock.pass(3);
  }
  list.rows.push({ id: 'dispute', ref: 'dispute' });
  await killed.read();
  expect(told()).not.toContain('dispute');
  api.clock.pass(130);
  const next = reading();
  for (let turn = 0; turn < 2; turn += 1) await next.read();
  expect(told()).toContain('dispute');
});

it('reads the two minutes before the last reading again, however long ago that was', async () => {
  list.rows.push(...changesNamed('before', 3));
  const before = reading();
  for (let turn = 0; turn < 100; turn += 1) {
    if (turn === 80) list.rows.push({ id: 'last', ref: 'last' });
    await before.read();
    api.clock.pass(3);
  }
  list.rows.splice(3, 0, { id: 'late', ref: 'late' }); // committed after later rows were read
  api.clock.pass(3_600);
  const next = reading();
  for (let turn = 0; turn < 2; turn += 1) await next.read();
  expect(told()).toContain('late');
});

it('tells known changes again after commits were lost, although the reader remembers them', async () => {
  list.rows.push(...changesNamed('before', 3));
  const one = reading();
  for (let turn = 0; turn < 3; turn += 1) {
    await one.read();
    api.clock.pass(3);
  }
  api.commands.splice(0);
  await one.read();
  api.clock.pass(3);
  await one.read();
  expect(told()).toEqual([]);
  const since = new Date(Date.now() - 3_600_000 * 24 * 365);
  await noteLostCommits(api.services.database, { since, reason: 'mark' }, api.services.now());
  for (let turn = 0; turn < 2; turn += 1) {
    api.clock.pass(3);
    await one.read();
  }
  expect(told()).toEqual(names(list.rows));
});

it('tells every page, whatever happens to later ones', async () => {
  list.rows.push(...changesNamed('backlog', 250));
  const one = reading();
  list.before = (page) => {
    if (page === 2) throw new PartyAway();
  };
  await expect(one.read()).rejects.toThrow(PartyAway);
  for (let turn = 0; turn < 2; turn += 1) await one.read();
  expect(told()).toEqual(names(list.rows));
  expect(list.asked).toEqual([null, 'backlog-99', 'backlog-99', 'backlog-199', 'backlog-249']);
});

it('tells a long backlog while reading, so that a new reader continues there', async () => {
  list.rows.push(...changesNamed('backlog', 1_000));
  list.before = (page) => {
    api.clock.pass(60);
    if (page === 8) throw new Error('killed');
  };
  await expect(reading().read()).rejects.toThrow('killed');
  expect(told()).toEqual(names(list.rows.slice(0, 700)));
  list.asked.length = 0;
  list.before = () => undefined;
  const next = reading();
  for (let turn = 0; turn < 2; turn += 1) await next.read();
  expect(list.asked[0]).toBe('backlog-499'); // the last told place, and two minutes before it
  expect(told()).toEqual(names(list.rows));
});

it('tells later what could not be told', async () => {
  const one = reading();
  list.rows.push(...changesNamed('some', 2));
  await one.read();
  const { commands } = api.services;
  api.services.commands = {
    ...api.services.commands,
    append: () => {
      throw new Error('no');
    },
  };
  await one.read();
  expect(told()).toEqual([]);
  api.services.commands = commands;
  for (let turn = 0; turn < 2; turn += 1) {
    api.clock.pass(31);
    await one.read();
  }
  expect(told()).toEqual(names(list.rows));
});

it('sends heartbeats during a slow page, and ends between two pages when told to', async () => {
  list.rows.push(...changesNamed('backlog', 1_000));
  const ending = new AbortController();
  let beats = 0;
  list.before = async (page) => {
    for (const before = beats; beats < before + 3; ) await new Promise((resolve) => setTimeout(resolve, 1));
    if (page === 2) ending.abort();
  };
  await watchParty(api.services, 'bank', {
    signal: ending.signal,
    everyMs: 1,
    beatMs: 1,
    beat: () => {
      beats += 1;
    },
  });
  expect(list.asked).toEqual([null, 'backlog-99']);
});
