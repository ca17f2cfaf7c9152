/** @long @isolated kills every part of the product. */
import { agrees, fold, reconcile } from '../../client/src';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { killAll, START_MS } from '../startup/process';
import { isSigned, type Received, type Receiver, startReceiver } from '../support/outside/receiver';
import { type Credential, type Fleet, startFleet } from '../support/product';
import { until } from '../support/until';
import {
  expectAllSwept,
  expectContiguousNonces,
  expectReconciled,
  expectWalletsRest,
} from './chain/invariants';
import { liveOnChain } from './chain/life';
import { type ChainWorld, openChainWorld } from './chain/world';
import { type KillPlan, planKills, wipedWhilePartyIsAway } from './kills';
import { checkingSettlement, liveMoney, MONEY_ENDS, type Moneyed } from './money';
import { allOf } from './pages';
import { type Answer, PATIENCE_MS, type Persistent, persistent, type Settled } from './persistent';
import { CARDS, type CardBalance, leftOver, refusalsOf } from './run/proofs';
import { createTally } from './run/tally';
import { liveACard, storiesOf, VARIANTS } from './scenario';

/**
 * Proofs 5 and 6 of the decisions. API, worker, Postgres, Temporal and the local chain are killed at random moments,
 * and Temporal loses its data. Meanwhile cards live their lives and money moves across the border in every way. More
 * rounds: CHAOS_ROUNDS=20 npx jest test/chaos/kills
 */

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 1);
const ACTORS = 5;
/** The last actor moves money. */
const isOfMoney = (actor: number) => actor === ACTORS - 1;
const ROUND_MS = PATIENCE_MS + 60_000;
const tally = createTally();

let fleet: Fleet;
let receiver: Receiver;
let database: Database;
let credential: Credential;
let client: Persistent;
let accountId: string;
let plan: KillPlan;
let moneyed: Moneyed;
let onChain: ChainWorld;
let stopChecking: () => Promise<void> = async () => undefined;
/** End statuses of transfers, by the name of their life. */
const ends = new Map<string, Record<string, string>>();
/** The lives by name, with their cards. */
const lives = new Map<string, { variant: string; cardId: string }>();

beforeAll(async () => {
  fleet = await startFleet();
  receiver = await startReceiver({ http: true });
  database = createDatabase({ url: fleet.databaseUrl, poolSize: 2, name: 'test' });
  credential = await fleet.newTenant();
  client = persistent(fleet, credential);
  await client.send('POST', '/v1/webhooks', { url: receiver.url }, 'register');
  for (const type of ['deposit', 'payout', 'transfer'])
    await client.send('POST', '/v1/webhooks', { url: receiver.url, type }, `register-${type}`);
  const accounts = await client.get('/v1/accounts?limit=100');
  accountId = accounts.data.find((account: { currency: string }) => account.currency === 'USD').id;
  const admin = persistent(fleet, await fleet.newTenant('admin'));
  const deposit = { accountId, amount: '400000.00', reason: 'opening' };
  expect((await admin.send('POST', '/v1/accounts/admin-deposit', deposit, 'opening')).status).toBe(201);
  await giveIban(admin);
  onChain = await openChainWorld(fleet, credential);
  stopChecking = checkingSettlement(admin);
  // The reference: each variant once, undisturbed.
  await liveWithMoney('measure-money');
  await Promise.all(
    [...new Set(VARIANTS)].map((variant) => live(`measure-${variant.replace(':', '-')}`, variant)),
  );
}, 2 * START_MS);

afterAll(async () => {
  await stopChecking().catch(() => undefined);
  await onChain?.close();
  await receiver?.close();
  await database?.close();
  await fleet?.close();
  killAll();
});

/** Opens an account in EUR and a virtual IBAN with money on both. Exchanged money goes to a separate account. */
async function giveIban(admin: Persistent): Promise<void> {
  const { clientId: companyId } = credential;
  const accounts = await client.get('/v1/accounts?limit=100');
  const { id } = accounts.data.find((account: { currency: string }) => account.currency === 'EUR');
  const destinationId = await giveDestination(companyId);
  moneyed = { companyId, accountId: id, destinationId, intoId: accountId };
  const opening = { accountId: id, amount: '400000.00', reason: 'opening' };
  expect((await admin.send('POST', '/v1/accounts/admin-deposit', opening, 'opening-eur')).status).toBe(201);
  expect(await fleet.operator('iban', 'enable', companyId)).toMatchObject({ code: 0 });
  const { iban } = await client.get(`/v1/corporate-banking/${companyId}/account`);
  await client.send('POST', '/sandbox/iban-credits', { iban, amount: '900000.00' }, 'opening-iban');
  const isCredited = ({ balance }: { balance: { available: string } }) => Number(balance.available) > 0;
  await client.get(`/v1/corporate-banking/${companyId}/account`, isCredited);
}

/** Adds a bank account that can be used at once. @returns its id */
async function giveDestination(companyId: string): Promise<string> {
  const { out } = await fleet.operator(
    ...['destination', 'add', '--client', companyId, '--currency', 'EUR', '--name', 'Ada Byron'],
    ...['--iban', 'DE89370400440532013000', '--json'],
  );
  const { id } = JSON.parse(out) as { id: string };
  expect(await fleet.operator('destination', 'waive', id)).toMatchObject({ code: 0 });
  return id;
}

async function liveWithMoney(name: string): Promise<void> {
  const [reached] = await Promise.all([liveMoney(client, moneyed, name, tally), liveOnChain(onChain, name)]);
  ends.set(name, reached);
}

async function live(name: string, variant: (typeof VARIANTS)[number]): Promise<void> {
  lives.set(name, { variant, cardId: await liveACard(client, accountId, name, variant, tally) });
}

const clients = () => [client, onChain.client, onChain.admin];

it(
  'gives every request one answer although it is killed at any step',
  async () => {
    let broken: Error | undefined;
    plan = planKills(
      fleet,
      ROUNDS,
      () => clients().flatMap(({ settled }) => settled).length,
      (error) => {
        broken = error;
      },
    );
    for (const each of clients()) each.onWrite = plan.onWrite;
    const actors = Array.from({ length: ACTORS }, async (_, actor) => {
      for (let turn = 0; turn === 0 || !(plan.done() || broken); turn += 1) {
        const name = `a${actor}-${turn}`;
        if (isOfMoney(actor)) await liveWithMoney(name);
        else await live(name, VARIANTS[(actor + turn) % VARIANTS.length] as (typeof VARIANTS)[number]);
      }
    });
    await Promise.all(actors);
    for (const each of clients()) each.onWrite = undefined;
    await stopChecking();
    if (broken) throw broken;
    process.stderr.write(
      `${lives.size} cards, ${client.settled.length} answers; killed: ${plan.log.join(', ')}\n`,
    );

    expect(refusalsOf(client)).toEqual([]);
  },
  ROUNDS * ROUND_MS,
);

it(
  'books a payment that the bank reported while it could not be read, although Temporal has lost the report',
  async () => {
    const path = `/v1/corporate-banking/${moneyed.companyId}/account`;
    const { iban, balance } = await client.get(path);
    await wipedWhilePartyIsAway(fleet, database, { iban, amount: '77.00' });
    const expected = (Number(balance.available) + 77).toFixed(2);
    await client.get(path, (account) => account.balance.available === expected);
  },
  ROUND_MS,
);

function expectSame({ key, answer }: Settled, again: Answer): void {
  const told = [key, again.status, again.headers.get('x-idempotent-replayed'), again.text];
  expect(told).toEqual([key, answer.status, 'true', answer.text]);
}

it(
  'repeats the answer of each key without a further effect',
  async () => {
    for (const each of clients())
      for (const settled of each.settled.filter(({ answer }) => answer.status < 300))
        expectSame(settled, await each.again(settled));
  },
  ROUND_MS,
);

it(
  'ends every card, every workflow and every delivery',
  async () => {
    const left = () => leftOver({ database, credential });
    await until(async () => (await left()).length === 0).catch(async () => expect(await left()).toEqual([]));
    const listed = await allOf<CardBalance>(client, CARDS);
    expect(listed.map(({ id }) => id).sort()).toEqual([...lives.values()].map(({ cardId }) => cardId).sort());
  },
  ROUND_MS + 10_000,
);

/** The first delivery of each event. */
function firsts(): Received[] {
  return [
    ...new Map([...receiver.received].reverse().map((one) => [one.body.data['id'] as string, one])).values(),
  ];
}

it('brings every transfer to its end, whatever is killed meanwhile', () => {
  expect(ends.size).toBeGreaterThan(1);
  for (const [name, reached] of ends) expect([name, reached]).toEqual([name, MONEY_ENDS]);
});

it(
  'credits and sweeps each payment on the chain once',
  async () => {
    await expectAllSwept(onChain, database);
    await expectWalletsRest(database);
    await expectContiguousNonces(onChain, database);
    await expectReconciled(onChain, fleet);
  },
  ROUND_MS,
);

it('delivers every event at least once, signed and with the same bytes each time', async () => {
  const recorded = await database.query<{ id: string }>(
    'select data_id as id from events where tenant_id = $1',
    [credential.clientId],
  );
  expect(
    firsts()
      .map(({ body }) => body.data['id'])
      .sort(),
  ).toEqual(recorded.map(({ id }) => id).sort());
  const bytes = new Map(firsts().map((one) => [one.body.data['id'], one.raw.toString('hex')]));
  for (const one of receiver.received) {
    expect(one.raw.toString('hex')).toBe(bytes.get(one.body.data['id']));
    expect(isSigned(one, credential.clientSecret)).toBe(true);
  }
});

it('gives each key exactly the effects that it has in an undisturbed run', () => {
  const stories = storiesOf(firsts());
  expect(stories.size).toBe(lives.size + ends.size);
  // A status that has already passed when the process reads it is not reported, if the table has a path around it.
  const story = (name: string) =>
    stories.get(name)?.filter((line) => !/status_changed (processing|sent)/.test(line));
  for (const name of ends.keys()) expect([name, story(name)]).toEqual([name, story('measure-money')]);
  for (const [name, { variant }] of lives) {
    const measure = stories.get(`measure-${variant.replace(':', '-')}`);
    expect(measure?.length).toBeGreaterThan(0);
    expect([name, stories.get(name)]).toEqual([name, measure]);
  }
});

it('has a correct ledger, and webhooks that add up to the balances of the API', async () => {
  expect(await fleet.operator('ledger', 'check')).toMatchObject({ code: 0 });
  const events = firsts().map(({ body }) => body);
  expect(reconcile(events)).toEqual([]);
  const folds = fold(events);
  for (const { id, balance } of await allOf<CardBalance>(client, CARDS))
    expect({ id, balance, folded: folds.get(id), same: agrees(folds.get(id), balance) }).toMatchObject({
      same: true,
    });
  for (const id of [accountId, onChain.accountId]) {
    const account = await client.get(`/v2/accounts/${id}/balance`);
    expect([id, Number(account.pending)]).toEqual([id, 0]);
    expect({ account, folded: folds.get(id), same: agrees(folds.get(id), account) }).toMatchObject({
      same: true,
    });
  }
});

it('never ends by itself', () => {
  expect({ failures: fleet.api.failures(), text: fleet.api.text() }).toMatchObject({ failures: 0 });
  expect({ failures: fleet.worker.failures(), text: fleet.worker.text() }).toMatchObject({ failures: 0 });
});
