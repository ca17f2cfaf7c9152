import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BankFolder, openBankFolder } from '../../../src/parties/iso20022/folder';
import { takeFiles } from '../../../src/parties/iso20022/incoming';
import type { Step } from '../../../src/parties/iso20022/outgoing';
import { showUnreadable } from '../../../src/parties/iso20022/unreadable';
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

it('a file that we may not read is shown until it can be read, and stops no other', async () => {
  await on.drop('locked.xml', NOTIFICATION.replaceAll('NT1', 'NT2').replaceAll('BK', 'BL'));
  await on.drop('bank.xml', NOTIFICATION);
  // The user of a test may read everything, so the file system's answer is made here.
  const folder = openBankFolder(on.folder);
  const denied = Object.assign(new Error('denied'), { code: 'EACCES', syscall: 'open' });
  const locked: BankFolder = {
    ...folder,
    read: async (name) => (name === 'locked.xml' ? Promise.reject(denied) : folder.read(name)),
  };
  const take = async (from: BankFolder) => {
    const { outcomes, unreadable } = await takeFiles(on.services, from, () => undefined);
    await showUnreadable(on.services, unreadable);
    return [...outcomes].sort();
  };
  expect(await take(locked)).toEqual(['booked', 'unreadable']);
  expect(await take(locked)).toEqual(['unreadable']);
  expect(await on.list('incoming')).toEqual(['locked.xml']);
  const shown = await on.test.database.query(
    `select subject, detail from breaks where kind = 'bank_file_unreadable' and resolved_at is null`,
  );
  expect(shown).toEqual([{ subject: 'bank-file:locked.xml', detail: 'no permission to read' }]);
  expect(await take(folder)).toEqual(['booked']);
  expect((await on.breaks()).filter((line) => line.startsWith('bank_file_unreadable'))).toEqual([]);
  expect(await on.list('incoming')).toEqual([]);
});

it.each(['EIO', 'EMFILE'])(
  'a file that fails with %s is an outage, because the folder may be at fault',
  async (code) => {
    await on.drop('bank.xml', NOTIFICATION);
    const failed = Object.assign(new Error(code), { code, syscall: 'read' });
    const folder: BankFolder = { ...openBankFolder(on.folder), read: () => Promise.reject(failed) };
    await expect(takeFiles(on.services, folder, () => undefined)).rejects.toBe(failed);
    expect(await on.list('incoming')).toEqual(['bank.xml']);
  },
);

it('a folder that cannot be used is an outage of the party', async () => {
  await on.drop('file', '');
  const lost = on.another({ settings: { folder: join(on.folder, 'incoming', 'file') } });
  await expect(lost.payouts.changes(null)).rejects.toMatchObject({ name: 'PartyAway' });
  await expect(lost.bank.changes(null)).rejects.toMatchObject({ name: 'PartyAway' });
});
