/** @long @isolated launches the product. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { PARTIES, partyVariable } from '../../src/kernel/parties';
import { killAll, type Run, START_MS, start } from '../startup/process';
import type { Client } from '../support/api';
import { ownPort } from '../support/own-port';
import { temporaryFolder } from '../support/servers';
import { pendingCardholder, until } from './client';
import { type LiveInstallation, startLive } from './live-installation';

/**
 * A live installation, with its parties in another process that it knows only by addresses and secrets. A proxy between
 * them can lose callbacks.
 */

const dataDir = temporaryFolder('live');
const partiesDir = temporaryFolder('parties');
const BIN = '55112233';

/** Addresses and secrets of the parties. */
let settings: Record<string, string>;
let live: LiveInstallation;
let parties: Run;
let way: Server;
let baseUrl: string;
/** Paths of callbacks that get lost, and the number of lost ones. */
const losing = new Set<string>();
let lost = 0;

beforeAll(async () => {
  parties = start(['--role', 'parties'], { DATA_DIR: partiesDir, LOG_LEVEL: 'warn' });
  const port = await ownPort();
  baseUrl = `http://127.0.0.1:${port}`;
  const [publicUrl] = await Promise.all([startWay(), parties.until(/parties are ready/)]);
  settings = parseEnv(readFileSync(join(partiesDir, 'parties.env'), 'utf8')) as Record<string, string>;
  live = await startLive(dataDir, { PORT: String(port), PUBLIC_URL: publicUrl, ...settings });
}, 2 * START_MS);
afterAll(async () => {
  for (const run of [live?.run, parties]) run?.child.kill('SIGINT');
  await Promise.all([live?.run.ended, parties?.ended]);
  way?.close();
  killAll();
  for (const name of [dataDir, partiesDir]) rmSync(name, { recursive: true, force: true });
}, START_MS);

/** Starts the proxy, which forwards requests to the installation unless they are to get lost. */
async function startWay(): Promise<string> {
  way = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => way.once('listening', resolve));
  return `http://127.0.0.1:${(way.address() as AddressInfo).port}`;
}

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (losing.has(url)) {
    lost += 1;
    return void request.socket.destroy();
  }
  const passed = Object.entries(headers).filter(([name]) => /^(content-type|x-)/.test(name));
  const answer = await fetch(baseUrl + url, {
    method,
    headers: passed as [string, string][],
    body: Buffer.concat(chunks),
  });
  response.writeHead(answer.status).end(await answer.text());
}

const key = () => ({ 'x-idempotency-key': randomBytes(8).toString('hex') });

it('reads the parties from a file that only its owner may read', () => {
  expect(statSync(join(partiesDir, 'parties.env')).mode & 0o777).toBe(0o600);
  for (const party of PARTIES)
    expect(settings[`${partyVariable(party)}_URL`]).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/sandbox\/providers\//,
    );
  expect(parties.text()).not.toContain(settings['PARTY_BANK_SECRET']);
});

it(
  'credits a checkout, issues a card to a cardholder whom the party has reviewed, pays out, and finds a chargeback',
  async () => {
    const [client, admin] = [await live.tenant('client'), await live.tenant('admin')];
    const programme = ['--scheme', 'visa', '--currency', 'USD', '--model', 'B2C'];
    await live.operator('bin', 'add', BIN, ...programme, '--admit', client.clientId);
    const accounts = await client.call('GET', '/v1/accounts');
    const account = (accounts.body.data as { id: string; currency: string }[]).find(
      ({ currency }) => currency === 'USD',
    );
    const own = `/v2/accounts/${account?.id}`;

    const deposit = await deposited(client, own, '700.07');
    expect(await until(`${own}/deposits/${deposit}`, client, 'completed')).toMatchObject({
      status: 'completed',
    });
    losing.add('/callbacks/checkout');

    const cardholderId = await pendingCardholder(client, admin, { accountId: String(account?.id), bin: BIN });
    await live.operator('cardholder', 'approve', cardholderId);
    await until(`/v1/cardholders/${cardholderId}`, client, 'pass_audit');
    const { userId } = (await client.call('GET', `/v1/cardholders/${cardholderId}`)).body;
    const asked = { userId, accountId: account?.id, cardholderId, amount: '25.00' };
    const card = (await client.call('POST', '/v1/cards', asked)).body.id as string;
    await until(`/v1/cards/${card}`, client, 'active');
    const shown = await client.call('GET', `/v1/cards/${card}/sensitive`);
    expect(shown.body.cardNumber).toMatch(/^\d{16}$/);

    // The destination is new. The operator who was shown the tenant's secret does not approve alone.
    const payout = await paidOut(client, own);
    await until(`${own}/payouts/${payout}`, client, 'pending_approval');
    await live.approver('payout', 'approve', payout);
    await until(`${own}/payouts/${payout}`, client, 'completed');

    // The payment is disputed five seconds later without a callback. The product finds the dispute in the party's list.
    await until(`${own}/deposits/${deposit}`, client, 'chargeback');
    expect(lost).toBeGreaterThan(0);
    expect((await live.installation('ledger', 'check'))['problems'] ?? []).toEqual([]);
  },
  3 * START_MS,
);

async function deposited(client: Client, own: string, amount: string): Promise<string> {
  const quoted = await client.call('POST', `${own}/deposit-quote`, { method: 'card', amount });
  const body = { quoteId: quoted.body.quoteId, returnUrl: 'https://shop.example.com/thanks' };
  return (await client.call('POST', `${own}/deposits`, body, key())).body.id as string;
}

async function paidOut(client: Client, own: string): Promise<string> {
  const quoted = await client.call('POST', `${own}/payout-quote`, {
    method: 'sepa',
    amount: '100.00',
    currency: 'EUR',
  });
  const destination = { name: 'Ada Byron', iban: 'DE89370400440532013000' };
  const body = { quoteId: quoted.body.quoteId, destination };
  return (await client.call('POST', `${own}/payouts`, body, key())).body.id as string;
}

it('refuses quotes of a party that an operator switches off while the product runs', async () => {
  const client = await live.tenant('client');
  const { body } = await client.call('GET', '/v1/accounts');
  const quote = () =>
    client.call('POST', `/v2/accounts/${body.data[0].id}/payout-quote`, {
      method: 'swift',
      amount: '100.00',
    });
  await quote();
  await live.operator('party', 'off', 'payouts', '--reason', 'a test');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await expect(quote()).rejects.toThrow('capability_disabled');
  const states = (await live.operator('party', 'list')) as unknown as {
    name: string;
    state: string;
    reason: string;
  }[];
  expect(states.find(({ name }) => name === 'payouts')).toMatchObject({ state: 'off', reason: 'a test' });
  await live.operator('party', 'on', 'payouts', '--reason', 'it was one');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await quote();
});
