/** @long @isolated rolls Postgres back while it is used. */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { internalBalance } from '../../src/kernel/ledger/accounts';
import { Decimal } from '../../src/kernel/money/money';
import { receivePayment } from '../../src/parties/bank/sandbox/receive';
import { backUp } from '../../src/startup/backup/back-up';
import { recover } from '../../src/startup/embedded/postgres/recover';
import { DATABASE } from '../../src/startup/embedded/postgres/server';
import { CREDIT_CALLBACK_PATH } from '../../src/transfers/iban/credits/kind';
import { killAll, START_MS } from '../startup/process';
import { temporalAt } from '../support/outside/temporal-client';
import { type Credential, type Fleet, startFleet } from '../support/product';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';
import {
  expectCreditedAgain,
  expectSweepDiffers,
  expectSweepsOn,
  type Forgotten,
  playForgotten,
  prepareWallets,
} from './chain/lost';
import { type ChainWorld, openChainWorld } from './chain/world';
import { type Persistent, persistent } from './persistent';
import { startParties } from './run/parties';
import { compareOrders } from './run/proofs';

/**
 * Postgres fails over to a standby that lacks ten seconds of commits, while payouts leave, payments arrive and a wallet is swept. The parties run apart
 * with a database of their own, so they remember everything. The standby is a physical copy that is promoted, with the addresses
 * and passwords of the former server.
 */

const LOST_SECONDS = 10;
const ACTORS = 4;
const ADA = { name: 'Ada Byron', iban: 'DE89370400440532013000', bic: 'COBADEFF' };

const standby = temporaryFolder('standby');
const closing: (() => unknown)[] = [];
let atParties: Database;
let fleet: Fleet;
let database: Database;
let client: Persistent;
let credential: Credential;
let account: string;
let eur: string;
let usd: string;
let iban: string;
let onChain: ChainWorld;
let wallets: Forgotten;

/** Each payout and payment has an amount of its own, so that a second one would be seen. */
let cents = 0;
const nextAmount = () => new Decimal(10).plus(new Decimal((cents += 1)).div(100)).toFixed(2);
/** Payouts that were answered 201, by their ids. */
const answered = new Map<string, { key: string; amount: string }>();
/** Ids of repeats that must wait, because the party has paid the lost payout. */
const held: string[] = [];
/** The bank's ids of payments. */
const paid: string[] = [];

beforeAll(async () => {
  const parties = await startParties(closing);
  atParties = parties.database;
  fleet = await startFleet(parties.addresses);
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  const admin = persistent(fleet, await fleet.newTenant('admin'));
  credential = await fleet.newTenant();
  client = persistent(fleet, credential);
  await provide(admin);
  onChain = await openChainWorld(fleet, credential);
  wallets = await prepareWallets(onChain);
}, 2 * START_MS);
afterAll(async () => {
  await onChain?.close();
  await database?.close();
  await fleet?.close();
  for (const close of closing.reverse()) await close();
  killAll();
  rmSync(standby, { recursive: true, force: true });
}, START_MS);

/** An account in EUR with much money, and a virtual IBAN of the company. */
async function provide(admin: Persistent): Promise<void> {
  const { accounts } = await client.get('/v1/client/settings');
  const idOf = (wanted: string): string =>
    accounts.find(({ currency }: { currency: string }) => currency === wanted).accountId;
  [eur, usd] = [idOf('EUR'), idOf('USD')];
  account = `/v2/accounts/${eur}`;
  for (const accountId of [eur, usd]) {
    const given = { accountId, amount: '100000.00', reason: 'test' };
    await admin.send('POST', '/v1/accounts/admin-deposit', given, accountId);
  }
  const enabled = await fleet.operator('iban', 'enable', credential.clientId);
  expect(enabled).toMatchObject({ code: 0 });
  iban = (await client.get(`/v1/corporate-banking/${credential.clientId}/account`)).iban;
}

/** @returns the answer to the request; undefined where its quote was lost */
async function payOut(key: string, amount: string, quoteKey = `${key}-quote`) {
  const asked = { method: 'sepa', amount };
  const quote = await client.send('POST', `${account}/payout-quote`, asked, quoteKey);
  if (quote.status >= 300) return undefined;
  const given = { quoteId: quote.body.quoteId, destination: ADA };
  const { status, body } = await client.send('POST', `${account}/payouts`, given, key);
  if (status === 201) answered.set(body.id, { key, amount });
  return { status, body };
}

async function bePaid(): Promise<void> {
  const given = { iban, amount: new Decimal(nextAmount()), currency: 'EUR', mute: false };
  const callbackUrl = fleet.baseUrl + CREDIT_CALLBACK_PATH;
  paid.push(await atParties.transaction((tx) => receivePayment(tx, given, { callbackUrl, at: new Date() })));
}

/** A top-up from a payment card, an exchange order and a card. Any of their records may be lost. */
async function others(turn: number): Promise<void> {
  const key = (what: string) => `${what}-${turn}`;
  const card = { amount: nextAmount(), paymentMethodToken: 'tok_visa' };
  await client.send('POST', `${account}/topup/card`, card, key('topup'));
  const exchanged = { fromAccountId: eur, toAccountId: usd, amount: nextAmount() };
  await client.send('POST', '/v1/exchange/orders', exchanged, key('exchange'));
  const meta = { firstName: 'Ada', lastName: 'Lovelace', email: `ada-${turn}@example.com` };
  const user = await client.send('POST', '/v1/users', { meta }, key('user'));
  const holder = { accountId: usd, bin: '44112200' };
  const held = await client.send('POST', `/v1/users/${user.body.id}/cardholder`, holder, key('holder'));
  const issue = { userId: user.body.id, accountId: usd, cardholderId: held.body.id, amount: '10.00' };
  await client.send('POST', '/v1/cards', issue, key('card'));
}

/** Payouts, payments, top-ups, exchanges and cards until it is ended. */
function load(): () => Promise<void> {
  let ended = false;
  const until = async (work: (turn: number) => Promise<unknown>) => {
    for (let turn = 0; !ended; turn += 1) await work(turn);
  };
  const actors = Array.from({ length: ACTORS }, (_, actor) =>
    until(async (turn) => {
      await payOut(`a${actor}-${turn}`, nextAmount());
      if (actor === 0) await bePaid();
    }),
  );
  const beside = until(others);
  return async () => {
    ended = true;
    await Promise.all([...actors, beside]);
  };
}

/** Stops the server, and promotes the copy in its place. */
async function failOver(): Promise<void> {
  await fleet.postgres.stop();
  const pgdata = join(fleet.dataDir, 'postgres');
  const { password } = JSON.parse(readFileSync(join(fleet.dataDir, 'postgres.json'), 'utf8'));
  rmSync(pgdata, { recursive: true });
  cpSync(join(standby, 'postgres'), pgdata, { recursive: true });
  chmodSync(pgdata, 0o700);
  const wal = join(fleet.dataDir, 'wal.restored'); // where Postgres's account may go
  mkdirSync(wal);
  cpSync(join(standby, 'wal'), wal, { recursive: true });
  await recover({ pgdata, wal, password, database: DATABASE });
  await fleet.postgres.start();
  await until(() => answers(database));
}

const answers = (sql: Database): Promise<boolean> =>
  sql.query('select 1').then(
    () => true,
    () => false,
  );

const openBreaks = (kind: string) =>
  database.query<{ subject: string; detail: string }>(
    'select subject, detail from breaks where kind = $1 and resolved_at is null order by subject',
    [kind],
  );

const atParty = (party: string) =>
  atParties.query<{ key: string; amount: string }>(
    `select key, asked->>'amount' as amount from sandbox_orders where party = $1 and accepted_at is not null`,
    [party],
  );

it(
  'notices the loss by itself, and asks everybody for what it may have lost',
  async () => {
    const away = new Error('Postgres is away');
    await backUp(
      { dataDir: fleet.dataDir, documents: { kind: 'folder', folder: join(fleet.dataDir, 'documents') } },
      { ownerUrl: fleet.databaseUrl, away },
      standby,
    );
    const end = load();
    await Promise.all([sleep(LOST_SECONDS * 1_000), playForgotten(onChain, wallets)]);
    const before = answered.size;
    await failOver();
    await sleep(2_000);
    await end();
    expect(before).toBeGreaterThan(ACTORS);
    expect(paid.length).toBeGreaterThan(2);
    await until(async () => (await openBreaks('commits_lost')).length > 0);
    expect(await openBreaks('commits_lost')).toEqual([
      { subject: 'installation', detail: expect.stringMatching(/^since .*: (mark|timeline)$/) },
    ]);
  },
  START_MS,
);

const knownAt = async (party: string): Promise<Set<string>> => {
  const rows = await database.query<{ ref: string }>(
    'select party_ref as ref from transfers where party = $1',
    [party],
  );
  return new Set(rows.map(({ ref }) => ref));
};

/** Kinds of orders that the load gives. */
const ORDERED = ['payouts', 'external-cards', 'exchange', 'card-processor'];

it(
  'has every order of every party in the books or in a break',
  async () => {
    const unexplained = async () => {
      const { unknown } = await compareOrders({ parties: atParties, database });
      const shown = new Set((await openBreaks('party_order_unknown')).map(({ subject }) => subject));
      return unknown.filter((order) => !shown.has(order.split(' ')[1] ?? ''));
    };
    await until(async () => (await unexplained()).length === 0).catch(async () =>
      expect(await unexplained()).toEqual([]),
    );
    expect((await openBreaks('party_order_unknown')).length).toBeGreaterThan(0);
    for (const party of ORDERED) expect([party, (await atParty(party)).length]).not.toEqual([party, 0]);
  },
  START_MS,
);

it(
  'ends the workflow of every lost record',
  async () => {
    await until(async () => (await failedWorkflows()).length === 0).catch(async () =>
      expect(await failedWorkflows()).toEqual([]),
    );
  },
  START_MS,
);

/** Errors of a step whose record is missing. A held order fails by another error. */
const MISSING = /not found|there is no|does not exist/;

/** Workflows that failed, or that repeat the step of a missing record. */
async function failedWorkflows(): Promise<string[]> {
  const temporal = temporalAt(fleet.temporalAddress);
  try {
    const found: string[] = [];
    const { workflow } = temporal.client;
    const failed = workflow.list({ query: `ExecutionStatus in ('Failed', 'Terminated', 'TimedOut')` });
    for await (const { workflowId } of failed) found.push(workflowId);
    for await (const { workflowId } of workflow.list({ query: `ExecutionStatus = 'Running'` })) {
      const { raw } = await workflow.getHandle(workflowId).describe();
      for (const { lastFailure, attempt } of raw.pendingActivities ?? [])
        if (MISSING.test(lastFailure?.message ?? '') && Number(attempt) > 1)
          found.push(`${workflowId}: ${lastFailure?.message}`);
    }
    return found;
  } finally {
    await temporal.close();
  }
}

it(
  'books every payment of the bank',
  async () => {
    const unbooked = async () => {
      const known = await knownAt('bank');
      return paid.filter((id) => !known.has(id));
    };
    await until(async () => (await unbooked()).length === 0).catch(async () =>
      expect(await unbooked()).toEqual([]),
    );
  },
  START_MS,
);

it('credits a payment on a chain again, and once', () => expectCreditedAgain(onChain, database), START_MS);

it('shows the lost sweep as a difference', () => expectSweepDiffers(fleet), START_MS);

it('sweeps on, and gives no lost address again', () => expectSweepsOn(onChain, wallets), START_MS);

/** Ids of payouts that were answered and do not exist. */
async function lostPayouts(): Promise<string[]> {
  const ids = [...answered.keys()];
  const rows = await database.query<{ id: string }>('select id from transfers where id = any($1)', [ids]);
  const kept = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !kept.has(id));
}

it(
  'names every payout that was answered and is lost',
  async () => {
    const lost = await lostPayouts();
    expect(lost.length).toBeGreaterThan(0);
    const unnamed = async () => {
      const shown = [...(await openBreaks('party_order_unknown')), ...(await openBreaks('record_lost'))];
      const subjects = new Set(shown.map(({ subject }) => subject.replace('payout-', '')));
      return lost.filter((id) => !subjects.has(id));
    };
    await until(async () => (await unnamed()).length === 0).catch(async () =>
      expect(await unnamed()).toEqual([]),
    );
  },
  START_MS,
);

it(
  'holds a repeat back while the party has the lost order',
  async () => {
    const unknown = new Set((await openBreaks('party_order_unknown')).map(({ subject }) => subject));
    for (const id of await lostPayouts()) {
      const { key, amount } = answered.get(id) as { key: string; amount: string };
      const again = await payOut(key, amount, `${key}-quote-again`);
      expect([id, again?.status]).toEqual([id, 201]);
      if (unknown.has(`payout-${id}`)) held.push(again?.body.id);
    }
    expect(held.length).toBeGreaterThan(0);
    await sleep(15_000); // longer than the lists need
  },
  START_MS,
);

it('pays nobody twice', async () => {
  const amounts = (await atParty('payouts')).map(({ amount }) => amount);
  expect(new Set(amounts).size).toBe(amounts.length);
});

it(
  'has books that balance, and that agree with the parties but for the breaks',
  async () => {
    const open = () =>
      database.query(
        `select id, status from transfers
          where kind = 'payout' and status not in ('completed', 'failed') and not id = any($1) limit 5`,
        [held],
      );
    await until(async () => (await open()).length === 0).catch(async () => expect(await open()).toEqual([]));
    expect(await fleet.operator('ledger', 'check')).toMatchObject({ code: 0 });
    const known = await knownAt('payouts');
    const sent = (await atParty('payouts'))
      .filter(({ key }) => known.has(key))
      .reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
    expect((await internalBalance(database, 'payouts', 'EUR')).toFixed(2)).toBe(sent.toFixed(2));
  },
  START_MS,
);

it('never ends by itself', () => {
  expect({ failures: fleet.api.failures(), text: fleet.api.text() }).toMatchObject({ failures: 0 });
  expect({ failures: fleet.worker.failures(), text: fleet.worker.text() }).toMatchObject({ failures: 0 });
});
