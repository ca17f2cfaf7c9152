import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '../../../src/parties/iso20022/outgoing';
import { type Files, files } from './fixture';

const NOTIFICATION = readFileSync(join(__dirname, 'golden', 'camt.054.001.08.xml'), 'utf8');

let on: Files;
beforeAll(async () => {
  on = await files();
});
beforeEach(async () => {
  await on.reset();
});
afterAll(() => on.close());

const count = async (table: string) => {
  const [row] = await on.test.database.query<{ count: number }>(
    `select count(*)::int as count from ${table}`,
  );
  return row?.count;
};

it('a file is booked with all that follows from it, and moved', async () => {
  await on.drop('bank.xml', NOTIFICATION);
  expect(await on.exchange.turn()).toEqual(['booked']);
  expect([await count('bank_entries'), await count('bank_credits')]).toEqual([3, 1]);
  expect(await on.list('incoming')).toEqual([]);
  expect(await on.list('taken')).toEqual([expect.stringMatching(/-bank\.xml$/)]);
});

it.each<Step>(['booked', 'moved'])('a kill after “%s” books nothing twice', async (step) => {
  const killed = on.another({
    onStep: (reached) => {
      if (reached === step) throw new Error('killed');
    },
  });
  await on.drop('bank.xml', NOTIFICATION);
  await expect(killed.exchange.turn()).rejects.toThrow('killed');
  await on.exchange.turn();
  expect([await count('bank_entries'), await count('bank_credits'), await count('bank_changes')]).toEqual([
    3, 1, 1,
  ]);
  expect(await on.list('incoming')).toEqual([]);
  expect(await on.list('taken')).toHaveLength(1);
});

it('several processes take a file once', async () => {
  const processes = [on.another(), on.another(), on.another(), on.another()];
  for (let turns = 0; turns < 5; turns += 1) {
    await on.drop(
      `${turns}.xml`,
      NOTIFICATION.replaceAll('NT1', `NT1${turns}`).replaceAll('BK', `BK${turns}`),
    );
    await Promise.all(processes.map(({ exchange }) => exchange.turn()));
  }
  expect([await count('bank_entries'), await count('bank_credits'), await count('bank_changes')]).toEqual([
    15, 5, 5,
  ]);
  expect(await on.list('taken')).toHaveLength(5);
  expect(await on.list('refused')).toEqual([]);
});

it('a file with the longest name stops no other', async () => {
  const [long, emoji] = [`${'n'.repeat(251)}.xml`, `${'ü'.repeat(125)}.xml`];
  await on.drop(long, NOTIFICATION);
  await on.drop(emoji, 'no XML', { old: true });
  await on.drop('bank.xml', NOTIFICATION.replaceAll('NT1', 'NT2'));
  expect([...(await on.exchange.turn())].sort()).toEqual(['booked', 'booked', 'refused']);
  expect(await on.list('incoming')).toEqual([]);
  expect(await on.list('taken')).toHaveLength(2);
  expect(await on.list('refused')).toHaveLength(1);
});

it('a folder that cannot be used is an outage of the party', async () => {
  await on.drop('file', '');
  const lost = on.another({ settings: { folder: join(on.folder, 'incoming', 'file') } });
  await expect(lost.payouts.changes(null)).rejects.toMatchObject({ name: 'PartyAway' });
  await expect(lost.bank.changes(null)).rejects.toMatchObject({ name: 'PartyAway' });
});
