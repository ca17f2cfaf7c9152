/** @long @isolated launches the product, and kills Temporal. */
import { Agent, request } from 'node:http';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { CREDIT_CALLBACK_PATH } from '../../src/transfers/iban/credits/kind';
import { ask } from '../chaos/persistent';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { ownPort } from '../support/own-port';
import { type Credential, type Fleet, startFleet } from '../support/product';
import { until } from '../support/until';
import { answerOf, type BalancedLoad, startBalancedLoad } from './balanced-load';
import { killAll, START_MS } from './process';

/**
 * Roles in separate processes under load. Temporal is killed, one API takes over from another, and a row of the bank's
 * list cannot be applied. No request may be lost, and all other work must continue.
 */

const AMOUNT = '1.00';
const LANES = 4;
/** Number of answers that prove that the load continues. */
const MANY = 40;

let fleet: Fleet;
/** The port of the second API. The sandbox's parties are reached there, because the first API ends. */
let secondPort: number;
let receiver: Receiver;
let database: Database;
let client: Credential;
let admin: Credential;
let accountId: string;
let load: BalancedLoad | undefined;

beforeAll(async () => {
  secondPort = await ownPort();
  fleet = await startFleet({
    SHUTDOWN_SECONDS: '60',
    SANDBOX_PARTIES_URL: `http://127.0.0.1:${secondPort}`,
  });
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  [client, admin] = [await fleet.newTenant(), await fleet.newTenant('admin')];
  await ask(fleet, client, 'POST', '/v1/webhooks', { url: receiver.url, type: 'account' });
  const accounts = await ask(fleet, client, 'GET', '/v1/accounts');
  accountId = accounts.body.data.find(({ currency }: { currency: string }) => currency === 'USD').id;
}, START_MS);
afterAll(async () => {
  await load?.stop();
  await fleet?.close();
  await receiver?.close();
  await database?.close();
  killAll();
});

const deposit = () => ({
  path: '/v1/accounts/admin-deposit',
  body: { accountId, amount: AMOUNT, reason: 'load' },
  credential: admin,
});

const ready = async (baseUrl: string) => {
  const response = await fetch(`${baseUrl}/health/ready`);
  return { status: response.status, body: (await response.json()) as Record<string, any> };
};

const refuses = (baseUrl: string) =>
  fetch(`${baseUrl}/health`, { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  );

async function goesOn(running: BalancedLoad): Promise<void> {
  const before = running.answers.length;
  await until(() => running.answers.length >= before + MANY);
}

/** Makes three payments that the bank lists without callbacks. The second cannot be applied. */
async function paidWithPoison(iban: string): Promise<string> {
  const at = new Date();
  const pay = (amount: string) =>
    database.transaction((tx) =>
      receivePayment(
        tx,
        { iban, amount: new Decimal(amount), currency: 'EUR', mute: true },
        { callbackUrl: fleet.baseUrl + CREDIT_CALLBACK_PATH, at },
      ),
    );
  await pay('10.00');
  const poison = await pay('20.00');
  await pay('40.00');
  await database.query(`create function refuse() returns trigger language plpgsql as
    $$ begin if new.ref = '${poison}' then raise 'refused'; end if; return new; end $$`);
  await database.query(
    'create trigger refuse before insert on reported_names for each row execute function refuse()',
  );
  return poison;
}

/** Sends half of a request. `finish` sends the rest. */
function halfSent(baseUrl: string) {
  const { path, body, credential } = deposit();
  const text = JSON.stringify(body);
  const outgoing = request(baseUrl + path, {
    agent: new Agent({ keepAlive: true }),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': text.length,
      'x-client-id': credential.clientId,
      'x-client-secret': credential.clientSecret,
    },
  });
  outgoing.write(text.slice(0, 10));
  const answer = answerOf(outgoing);
  answer.catch(() => undefined);
  return {
    finish() {
      outgoing.end(text.slice(10));
      return answer;
    },
  };
}

it(
  'loses no request while Temporal is killed, an API takes over from another, and a party lists a row that cannot be applied',
  async () => {
    const first = fleet.baseUrl;
    const worker = fleet.worker.metricsUrl();
    const company = client.clientId;
    expect(await fleet.operator('iban', 'enable', company)).toMatchObject({ code: 0 });
    const banking = await ask(fleet, client, 'GET', `/v1/corporate-banking/${company}/account`);
    const running = startBalancedLoad({ ...deposit(), lanes: LANES });
    load = running;
    running.add(first);
    await goesOn(running);

    process.kill(fleet.temporal.pid(), 'SIGKILL');
    await fleet.temporal.stop();
    await until(async () => (await ready(worker)).status === 503);
    await until(async () => (await ready(first)).body.checks.temporal === 'down');
    expect(await ready(first)).toEqual({
      status: 200,
      body: { status: 'ok', checks: { postgres: 'up', temporal: 'down' } },
    });
    const poison = await paidWithPoison(banking.body.iban);
    await goesOn(running);

    const second = { baseUrl: `http://127.0.0.1:${secondPort}` };
    await fleet.another('api', { PORT: String(secondPort) });
    running.add(second.baseUrl);
    await until(() => running.isIn(second.baseUrl));
    await goesOn(running);
    const open = halfSent(first);
    const ended = fleet.api.stop();
    await until(async () => (await ready(first)).status === 503);
    expect((await ready(first)).body.message).toBe('The process is stopping.');
    expect((await ask(fleet, client, 'GET', '/v1/accounts')).status).toBe(200);
    await until(() => refuses(first));
    expect(await open.finish()).toMatchObject({ status: 201, headers: { connection: 'close' } });
    expect(await ended).toBe(0);
    expect(running.isIn(first)).toBe(false);
    expect(running.answers.filter(({ headers }) => headers.connection === 'close')).toHaveLength(LANES);
    await goesOn(running);

    await fleet.temporal.start();
    await until(async () => (await ready(worker)).status === 200);
    await until(async () => {
      const { body } = await ask(second, client, 'GET', `/v1/corporate-banking/${company}/account`);
      return body.balance?.available === '50.00';
    });
    // Lists that could not be read before the second API served them are read again.
    const breaks = () =>
      database.query<{ kind: string }>('select kind, subject, detail from breaks where resolved_at is null');
    await until(async () => !(await breaks()).some(({ kind }) => kind === 'party_list_unreadable'));
    expect(await breaks()).toEqual([
      { kind: 'party_row_not_applied', subject: 'bank', detail: expect.stringContaining(poison) },
    ]);
    await goesOn(running);
    await running.stop();

    expect(running.lost).toEqual([]);
    expect(new Set(running.answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(running.repeated()).toBe(0);
    const deposits = running.answers.length + 1;
    const account = await ask(second, client, 'GET', `/v2/accounts/${accountId}/balance`);
    expect(account.body.available).toBe(`${deposits}.00`);
    const told = () => new Set(receiver.received.map(({ body }) => body.data['id'])).size;
    await until(() => told() >= deposits);
    expect(await fleet.operator('ledger', 'check')).toMatchObject({ code: 0 });
  },
  3 * START_MS,
);
