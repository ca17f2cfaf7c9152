/** @long @isolated launches the product and types the story of docs/operator.md. */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { connectionUrl } from '../../src/startup/embedded/postgres/connection';
import { DATABASE } from '../../src/startup/embedded/postgres/server';
import { commandsOf, typed } from '../docs/typed';
import type { Client } from '../support/api';
import { masterAccount } from '../support/cards';
import { anotherOperator, command, setLimits } from '../support/operator';
import { temporaryFolder } from '../support/servers';
import { clientAt, pendingCardholder, until } from './client';
import { DEMO_MS, installation } from './installation';

/** A day of two operators who have neither a key, nor a database, nor the folder of the product. */

const world = installation();
const { dataDir } = world;

let client: Client;
let admin: Client;
let secrets: Record<'ada' | 'bob', string>;
let holder: string;
let payout: string;
beforeAll(async () => {
  const { baseUrl, client: own, admin: other, operator } = world.whole.credentials;
  client = clientAt(baseUrl, own);
  admin = clientAt(baseUrl, other);
  const { name: OPERATOR_NAME, operatorSecret: OPERATOR_SECRET } = operator;
  const demo = { DATA_DIR: dataDir, OPERATOR_NAME, OPERATOR_SECRET };
  const ada = (await anotherOperator(demo, 'ada')).OPERATOR_SECRET;
  secrets = { ada, bob: (await anotherOperator(demo, 'bob')).OPERATOR_SECRET };
  const settings = ['client', 'settings', own.clientId, '--set', 'cardholderReview=manual'];
  expect(await command(demo, ...settings)).toMatchObject({ code: 0 });
  await waiting();
  await limit('100.00');
}, DEMO_MS);

/** Makes what the operators find in the morning. */
async function waiting(): Promise<void> {
  const [usd, eur] = [await masterAccount(client), await masterAccount(client, 'EUR')];
  const fund = (accountId: string, amount: string) =>
    admin.call('POST', '/v1/accounts/admin-deposit', { accountId, amount, reason: 'a test' });
  await fund(usd, '500.00');
  await fund(eur, '20000.00');
  holder = await pendingCardholder(client, admin, { accountId: usd, bin: '44112201' });
  payout = await paidOut(eur, '15000.00');
  await issued(usd);
  const remitter = { name: 'Somebody Else', iban: 'DE89370400440532013000' };
  await client.call('POST', '/sandbox/iban-credits', {
    iban: 'LT000000000000000000',
    amount: '500.00',
    remitter,
  });
  await until(`/v2/accounts/${eur}/payouts/${payout}`, client, 'pending_approval');
  await inSuspense();
}

async function paidOut(accountId: string, amount: string): Promise<string> {
  const path = `/v2/accounts/${accountId}`;
  const quoted = await client.call('POST', `${path}/payout-quote`, { method: 'sepa', amount });
  const destination = { name: 'Ada Byron', iban: 'DE89370400440532013000' };
  const body = { quoteId: quoted.body.quoteId, destination };
  const key = { 'x-idempotency-key': randomUUID() };
  return (await client.call('POST', `${path}/payouts`, body, key)).body.id as string;
}

/** A card of a user on the demo BIN, which reviews nobody. */
async function issued(accountId: string): Promise<void> {
  const meta = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com' };
  const { id: userId } = (await client.call('POST', '/v1/users', { meta })).body;
  const person = { accountId, bin: '44112200' };
  const { id: cardholderId } = (await client.call('POST', `/v1/users/${userId}/cardholder`, person)).body;
  const asked = { userId, accountId, cardholderId, amount: '50.00' };
  const { id } = (await client.call('POST', '/v1/cards', asked)).body;
  await until(`/v1/cards/${id}`, client, 'active');
}

async function inSuspense(): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { out } = await command({ DATA_DIR: dataDir }, 'suspense', 'list', '--json');
    if ((JSON.parse(out) as object[]).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('nothing is in suspense');
}

/** Stores the limit as a process that starts with it. */
async function limit(amount: string): Promise<void> {
  const state = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
    port: number;
    password: string;
  };
  const database = createDatabase({ url: connectionUrl(state, DATABASE), poolSize: 1, name: 'day' });
  await setLimits(database, { credential: new Decimal(amount) });
  await database.close();
}

/** The commands from the first sign-in to the last sign-out, as they stand. */
function story(): string {
  const all = commandsOf('docs/operator.md');
  const place = (text: string) => all.findIndex((each) => each.includes(text));
  return all.slice(place('ada login'), place('ada logout') + 1).join('\n');
}

it(
  'types the day of docs/operator.md with the address of the desk alone',
  async () => {
    const { url: desk } = JSON.parse(readFileSync(join(dataDir, 'desk.json'), 'utf8')) as { url: string };
    const folder = temporaryFolder('day');
    for (const name of ['ada', 'bob'] as const) writeFileSync(join(folder, `${name}.secret`), secrets[name]);
    const commands = story().replace('https://desk.example.com', desk);
    const environment = { PATH: process.env['PATH'] };
    const out = await typed(commands, { folder, url: desk, environment }).finally(() =>
      rmSync(folder, { recursive: true }),
    );
    for (const told of [
      'ada is signed in',
      'bob is signed in',
      'Philippa', // revealed
      `${holder} is wait_audit.`,
      'DE89370400440532013000', // revealed
      `${payout} is processing.`,
      'takes two: another operator decides',
      'bank is off.',
      'bank is on.',
      'card',
      'operator:bob',
    ])
      expect(out).toContain(told);
    expect(out).toMatch(/card_\w+ is frozen\./);
    expect(out).toMatch(/card_\w+ is active\./);
    expect(out).toContain(',type,reference,');
    await until(`/v1/cardholders/${holder}`, client, 'pass_audit');
  },
  DEMO_MS,
);
