/** @long @isolated launches the product. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type TOTP, URI } from 'otpauth';
import { PARTIES, partyVariable } from '../../src/kernel/parties';
import { freePort } from '../../src/startup/embedded/ports';
import { runInstallation } from '../../src/startup/installation/run';
import { runOperator } from '../../src/startup/operator/run';
import { killAll, type Run, START_MS, start } from '../startup/process';
import type { Client } from '../support/api';
import { masterKeysText } from '../support/keyring';
import { anotherOperator } from '../support/operator';
import { shareBundles } from '../support/product';
import { temporaryFolder } from '../support/servers';
import { clientAt, pendingCardholder, until } from './client';

/**
 * A live installation, with its parties in another process that it knows only by addresses and secrets. A proxy between
 * them can lose callbacks.
 */

const dataDir = temporaryFolder('live');
const partiesDir = temporaryFolder('parties');
const BIN = '55112233';

let environment: Record<string, string>;
/** The operator who approves. */
let approver: Record<string, string>;
let live: Run;
let parties: Run;
let way: Server;
let baseUrl: string;
/** Paths of callbacks that get lost, and the number of lost ones. */
const losing = new Set<string>();
let lost = 0;

beforeAll(async () => {
  await shareBundles(dataDir);
  parties = start(['--role', 'parties'], { DATA_DIR: partiesDir, LOG_LEVEL: 'warn' });
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  const [publicUrl] = await Promise.all([startWay(), parties.until(/parties are ready/)]);
  environment = {
    MODE: 'live',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    MASTER_KEYS: masterKeysText(),
    ...(parseEnv(readFileSync(join(partiesDir, 'parties.env'), 'utf8')) as Record<string, string>),
  };
  live = start([], environment);
  await live.until(/"mode":"live".*"Cardwright is ready"/);
  const ida = await anotherOperator(environment, 'ida');
  approver = await signedIn(await anotherOperator(ida, 'bob'), 'bob');
  environment = await signedIn(ida, 'ida');
}, 2 * START_MS);
afterAll(async () => {
  for (const run of [live, parties]) run?.child.kill('SIGINT');
  await Promise.all([live?.ended, parties?.ended]);
  way?.close();
  killAll();
  for (const name of [dataDir, partiesDir]) rmSync(name, { recursive: true, force: true });
}, START_MS);

/** Signs an operator in at the desk with a one-time code, which live demands. The session replaces the secret. */
async function signedIn(environment: Record<string, string>, name: string): Promise<Record<string, string>> {
  const { OPERATOR_SECRET, ...rest } = environment;
  const who = { ...rest, OPERATOR_SESSION: join(dataDir, `session-${name}.json`) };
  const code = (URI.parse(environment['CODE_GENERATOR'] ?? '') as TOTP).generate();
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  const login = { ...who, OPERATOR_SECRET: OPERATOR_SECRET ?? '' };
  const exitCode = await runOperator(['login', '--code', code], login, { out: tell, err: tell });
  expect([exitCode, told]).toEqual([0, [expect.stringContaining(`${name} is signed in`)]]);
  return who;
}

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

const operator = (...argv: string[]) => commandOf(environment, argv);

const commandOf = (who: Record<string, string>, argv: string[]) => answerOf(runOperator, who, argv);

async function answerOf(
  run: typeof runOperator,
  who: Record<string, string>,
  argv: string[],
): Promise<Record<string, any>> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run([...argv, '--json'], who, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  expect([code, err]).toEqual([0, []]);
  return JSON.parse(out.join('\n')) as Record<string, any>;
}

async function tenant(role: 'client' | 'admin'): Promise<Client> {
  const made = await operator('client', 'create', '--name', 'Acme', '--role', role);
  const { clientId, clientSecret } = made as { clientId: string; clientSecret: string };
  if (role === 'admin') await commandOf(approver, ['approval', 'approve', made['approval'].id as string]);
  return clientAt(baseUrl, { clientId, clientSecret });
}

const key = () => ({ 'x-idempotency-key': randomBytes(8).toString('hex') });

it('reads the parties from a file that only its owner may read', () => {
  expect(statSync(join(partiesDir, 'parties.env')).mode & 0o777).toBe(0o600);
  for (const party of PARTIES)
    expect(environment[`${partyVariable(party)}_URL`]).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/sandbox\/providers\//,
    );
  expect(parties.text()).not.toContain(environment['PARTY_BANK_SECRET']);
});

it(
  'credits a checkout, issues a card to a cardholder whom the party has reviewed, pays out, and finds a chargeback',
  async () => {
    const [client, admin] = [await tenant('client'), await tenant('admin')];
    const programme = ['--scheme', 'visa', '--currency', 'USD', '--model', 'B2C'];
    await operator('bin', 'add', BIN, ...programme, '--admit', client.clientId);
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
    await operator('cardholder', 'approve', cardholderId);
    await until(`/v1/cardholders/${cardholderId}`, client, 'pass_audit');
    const { userId } = (await client.call('GET', `/v1/cardholders/${cardholderId}`)).body;
    const asked = { userId, accountId: account?.id, cardholderId, amount: '25.00' };
    const card = (await client.call('POST', '/v1/cards', asked)).body.id as string;
    await until(`/v1/cards/${card}`, client, 'active');
    const shown = await client.call('GET', `/v1/cards/${card}/sensitive`);
    expect(shown.body.cardNumber).toMatch(/^\d{16}$/);

    const payout = await paidOut(client, own);
    await until(`${own}/payouts/${payout}`, client, 'completed');

    // The payment is disputed five seconds later without a callback. The product finds the dispute in the party's list.
    await until(`${own}/deposits/${deposit}`, client, 'chargeback');
    expect(lost).toBeGreaterThan(0);
    expect((await answerOf(runInstallation, environment, ['ledger', 'check']))['problems'] ?? []).toEqual([]);
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
  const client = await tenant('client');
  const { body } = await client.call('GET', '/v1/accounts');
  const quote = () =>
    client.call('POST', `/v2/accounts/${body.data[0].id}/payout-quote`, {
      method: 'swift',
      amount: '100.00',
    });
  await quote();
  await operator('party', 'off', 'payouts', '--reason', 'a test');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await expect(quote()).rejects.toThrow('capability_disabled');
  const states = (await operator('party', 'list')) as unknown as {
    name: string;
    state: string;
    reason: string;
  }[];
  expect(states.find(({ name }) => name === 'payouts')).toMatchObject({ state: 'off', reason: 'a test' });
  await operator('party', 'on', 'payouts', '--reason', 'it was one');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await quote();
});
