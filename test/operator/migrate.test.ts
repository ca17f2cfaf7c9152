import { randomBytes } from 'node:crypto';
import { createDatabase } from '../../src/kernel/db/database';
import { differenceOfRights } from '../../src/kernel/db/roles';
import { onServer, urlOf } from '../support/database';
import { masterKeysText } from '../support/keyring';
import { command } from '../support/operator';

const name = `migrate_${randomBytes(6).toString('hex')}`;
const runtime = Object.assign(new URL(urlOf(name)), {
  username: `${name}_runtime`,
  password: 'hush',
}).toString();
const environment = {
  DATABASE_URL: runtime,
  DATABASE_OWNER_URL: urlOf(name),
  MASTER_KEYS: masterKeysText(),
};
beforeAll(() => onServer(`create database ${name}`));
afterAll(async () => {
  await onServer(`drop database ${name} with (force)`);
  await onServer(`drop role if exists ${name}_runtime`);
});

it('prints the statements for an administrator, without a password, and changes nothing', async () => {
  const { code, out } = await command(environment, 'migrate', '--print');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^create role "migrate_\w+" login password 'SCRAM-SHA-256\$/),
  ]);
  expect(out).not.toContain('hush');
});

it('migrates as the owner, and makes the user of DATABASE_URL the runtime role', async () => {
  const first = await command(environment, 'migrate');
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^Applied: 0001_kernel\.sql, /)]);
  expect((await command(environment, 'migrate')).out).toBe('The schema is up to date.');
  const database = createDatabase({ url: runtime, poolSize: 1, name: 'test' });
  expect(await differenceOfRights(database, true)).toEqual({ missing: [], excess: [] });
  await database.close();
  expect((await command(environment, 'audit', 'verify')).code).toBe(0);
});

it('refuses a live installation with one role only', async () => {
  const parties = Object.fromEntries(
    [
      'CARD_PROCESSOR',
      'CARDHOLDER_REVIEW',
      'CHECKOUT',
      'PAYOUTS',
      'EXTERNAL_CARDS',
      'BANK',
      'EXCHANGE',
      'RATES',
    ].map((party) => [`PARTY_${party}`, 'off']),
  );
  const { DATABASE_OWNER_URL: _, ...alone } = environment;
  const { code, err } = await command({ ...alone, ...parties, MODE: 'live' }, 'migrate');
  expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('MODE=live needs')]);
  expect(code).not.toBe(0);
});
