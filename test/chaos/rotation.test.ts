/** @long @isolated starts two APIs, a worker and a signer, and renews keys for a minute. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '../../client/src';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { type OpenedKeyring, openKeyring } from '../../src/kernel/security/installation-keys';
import type { KeyPurpose, SealingPurpose } from '../../src/kernel/security/purposes';
import { renewalOf, type SealedPlace } from '../../src/kernel/security/sealed-columns';
import { runtimeUrl } from '../../src/startup/embedded/postgres/connection';
import { killAll, START_MS } from '../startup/process';
import { masterKeysOf, masterKeysText } from '../support/keyring';
import { command } from '../support/operator';
import { type Received, type Receiver, startReceiver } from '../support/outside/receiver';
import { ownPort } from '../support/own-port';
import { type Credential, type Fleet, startFleet } from '../support/product';
import { until } from '../support/until';
import { ask } from './persistent';
import { LANE_NAMES, openTenant, startTraffic, type Tenant, type Traffic } from './traffic';

/**
 * Two APIs and a worker serve while everything is renewed: the master key, the keys of purposes, users' own keys, and the
 * tenant's secret. The signing key of webhooks follows from that secret. Nothing may be refused.
 */

const OLD = masterKeysText(randomBytes(32), 'old');
const FRESH = masterKeysText(randomBytes(32), 'fresh');
/** Traffic after everything has ended, in which the processes drop the earlier keys. */
const AFTER_MS = 8_000;
const RUN_MS = 400_000;

let fleet: Fleet;
let receiver: Receiver;
let database: Database;
let before: OpenedKeyring;
let tenant: Tenant;
let traffic: Traffic;
let secondUrl: string;
/** The signing keys of the first secret and of the second one. */
const signingKeys: string[] = [];
let rotated: Credential;

/** Purposes whose values the traffic makes. */
const RENEWED: readonly SealingPurpose[] = [
  ...(['callbacks', 'checkout-pages', 'client-secrets', 'data-keys', 'operator-totp'] as const),
  'destinations',
];
/** Purposes of hashes and of values that are kept elsewhere. */
const BESIDE: readonly KeyPurpose[] = [
  ...['credential-hashes', 'temporal-payload', 'payer-links', 'desk-csrf', 'challenge-codes'],
] as KeyPurpose[];

const installation = (masterKeys: string, ...argv: string[]) =>
  command(
    {
      DATABASE_URL: runtimeUrl(fleet.databaseUrl),
      DATABASE_OWNER_URL: fleet.databaseUrl,
      MASTER_KEYS: masterKeys,
      DATA_DIR: fleet.dataDir,
    },
    ...argv,
  );
const signingKeyOf = async (credential: Credential): Promise<string> =>
  Object.values((await ask(fleet, credential, 'GET', '/v1/webhooks/signing-key')).body).find(
    (value): value is string => typeof value === 'string' && value.startsWith('whsec_'),
  ) ?? '';

beforeAll(async () => {
  const secondPort = await ownPort();
  fleet = await startFleet({ MASTER_KEYS: `${OLD},${FRESH}`, TEMPORAL_ENCRYPTION: 'on' });
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  secondUrl = `http://127.0.0.1:${secondPort}`;
  await fleet.another('api', { PORT: String(secondPort) });
  const credential = await fleet.newTenant();
  for (const type of ['account', 'transfer', 'payout', 'deposit'])
    await ask(fleet, credential, 'POST', '/v1/webhooks', { url: receiver.url, type });
  tenant = await openTenant(fleet, credential, await fleet.newTenant('admin'));
  before = await openKeyring(database, masterKeysOf(OLD));
  signingKeys.push(await signingKeyOf(credential));
  traffic = startTraffic([fleet.baseUrl, secondUrl], tenant);
  await until(
    () => traffic.refused.length > 0 || LANE_NAMES.every((name) => (traffic.done.get(name) ?? 0) > 2),
  );
  expect(traffic.refused).toEqual([]);
  await rotateAll();
}, START_MS + RUN_MS);

afterAll(async () => {
  await traffic?.stop();
  await receiver?.close();
  await database?.close();
  await fleet?.close();
  killAll();
});

async function rotateAll(): Promise<void> {
  const signIns = keepSigningIn();
  const both = `${FRESH},${OLD}`;
  expect(await installation(both, 'keys', 'rotate')).toMatchObject({ code: 0 });
  expect(await installation(FRESH, 'keys', 'renew-users', '--made-before', soon())).toMatchObject({
    code: 0,
  });
  const times = ['--lead-seconds', '10', '--rest-seconds', '30'];
  const renewing = [...RENEWED, ...BESIDE].map(async (purpose) => {
    const { code, err } = await installation(FRESH, 'keys', 'renew', purpose, ...times, '--json');
    expect([purpose, code, err]).toEqual([purpose, 0, '']);
  });
  await rotateSecret();
  await Promise.all(renewing);
  expect(await installation(FRESH, 'keys', 'renew-users', '--overlap-seconds', '5')).toMatchObject({
    code: 0,
  });
  await sleep(AFTER_MS);
  expect(await signIns.stop()).toBeGreaterThan(3);
  await traffic.stop();
}

const soon = () => new Date(Date.now() + 60_000).toISOString();

/** Half of the overlap's traffic comes under the old secret, the rest under the new one. */
async function rotateSecret(): Promise<void> {
  const body = { overlapSeconds: 3_600 };
  const { status, body: made } = await ask(
    fleet,
    tenant.credential,
    'POST',
    '/v1/client/secret/rotate',
    body,
  );
  expect(status).toBe(201);
  rotated = { clientId: made.clientId, clientSecret: made.clientSecret };
  await sleep(10_000);
  traffic.credential = rotated;
  signingKeys.push(await signingKeyOf(rotated));
}

/** Operators sign in, one after another, and read a list. */
function keepSigningIn() {
  let going = true;
  let count = 0;
  const ended = (async () => {
    for (; going; await sleep(2_000)) {
      expect(await fleet.operator('client', 'list', '--json')).toMatchObject({ code: 0 });
      count += 1;
    }
  })();
  return {
    async stop() {
      going = false;
      await ended;
      return count;
    },
  };
}

const verifies = (one: Received, key: string) => {
  try {
    verifyWebhook(one.raw, one.headers, key, { toleranceSeconds: 3_600 });
    return true;
  } catch {
    return false;
  }
};

it('refuses no request, and goes on with every kind of work', () => {
  expect(traffic.refused).toEqual([]);
  for (const name of LANE_NAMES) expect([name, traffic.done.get(name)]).toEqual([name, expect.any(Number)]);
  expect(Math.min(...traffic.done.values())).toBeGreaterThan(20);
  for (const { failures } of [fleet.api, fleet.worker]) expect(failures()).toBe(0);
});

it('signs every webhook for a receiver that keeps the first signing key until the overlap ends', () => {
  expect(receiver.received.length).toBeGreaterThan(50);
  expect(signingKeys[0]).not.toBe(signingKeys[1]);
  expect(receiver.received.filter((one) => !verifies(one, signingKeys[0] ?? ''))).toEqual([]);
  const both = receiver.received.filter((one) => verifies(one, signingKeys[1] ?? ''));
  expect(both.length).toBeGreaterThan(20);
});

it('completes the payouts whose destinations were sealed before and after', async () => {
  for (const path of [traffic.payouts[0], traffic.payouts.at(-1)])
    await until(async () => (await ask(fleet, rotated, 'GET', path ?? '')).body.status === 'completed');
});

it('opens nothing by the former master key, or by the former keys of purposes', async () => {
  await expect(openKeyring(database, masterKeysOf(OLD))).rejects.toThrow('MASTER_KEYS lacks "fresh"');
  const after = await openKeyring(database, masterKeysOf(FRESH));
  const opened: Record<string, number> = {};
  for (const purpose of RENEWED) {
    const renewal = renewalOf(purpose);
    const places = renewal.way === 'resealed' ? renewal.places : [];
    for (const place of places)
      for (const { sealed, bound } of await valuesAt(place)) {
        const context = (place.context ?? String)(bound);
        const sealer = (keyring: OpenedKeyring) => keyring.sealer(purpose);
        expect(sealer(after).open(sealed, context).length).toBeGreaterThan(0);
        expect(() => sealer(before).open(sealed, context)).toThrow('sealed under another key');
        opened[purpose] = (opened[purpose] ?? 0) + 1;
      }
  }
  expect(Object.keys(opened)).toEqual(
    expect.arrayContaining(['callbacks', 'checkout-pages', 'client-secrets', 'data-keys', 'destinations']),
  );
  const versions = await database.query<{ purpose: string; count: number }>(
    'select purpose, count(*)::int as count from installation_keys where purpose = any($1) group by 1 having count(*) > 1',
    [RENEWED],
  );
  expect(versions).toEqual([]);
  const [users] = await database.query<{ left: number }>(
    'select count(*)::int as left from users where octet_length(data_key) > 64',
  );
  expect(users).toEqual({ left: 0 });
});

it('ends the former secret with its overlap, in both APIs', async () => {
  const body = { overlapSeconds: 0 };
  expect((await ask(fleet, rotated, 'POST', '/v1/client/secret/rotate', body)).status).toBe(201);
  await sleep(1_500);
  for (const baseUrl of [fleet.baseUrl, secondUrl])
    for (const former of [tenant.credential, rotated])
      expect((await ask({ baseUrl }, former, 'GET', '/v1/accounts')).status).toBe(401);
});

const valuesAt = ({ table, key, column, path, boundTo = key, where = 'true' }: SealedPlace) => {
  const bytes = path ? `decode(${column} #>> '{${path.join(',')}}', 'base64')` : column;
  return database.query<{ sealed: Buffer; bound: string }>(
    `select ${bytes} as sealed, (${boundTo})::text as bound from ${table} where (${where}) and ${bytes} is not null`,
  );
};
