/** @long fills every table with 60,000 rows. */
import { unbookedAt } from '../../src/chain/holdings/operations';
import { lastReadings } from '../../src/chain/reconciliation/readings';
import { attestationOf, type Derived } from '../../src/chain/wallets/attestation';
import { ownerAt } from '../../src/chain/wallets/operations';
import { readings } from '../../src/composition';
import { waitingCounts } from '../../src/desk/catalogue';
import { tell } from '../../src/desk/tell';
import { deskCatalogue } from '../../src/desk-catalogue';
import { listAudit, verifyAudit } from '../../src/kernel/audit/log';
import type { Database } from '../../src/kernel/db/database';
import { newId } from '../../src/kernel/ids';
import { approvalsToDecide, listApprovals } from '../../src/process/approvals/store';
import { listStops } from '../../src/process/stops/store';
import { sumOfDay } from '../../src/transfers/approval/store';
import { advance } from '../../src/transfers/engine/advance';
import { refsOfHash, refsUnshown } from '../../src/transfers/engine/tables/on-chain';
import { exchangeOrderKind } from '../../src/transfers/exchange/orders/kind';
import { readSettlement } from '../../src/transfers/exchange/settlement/readings';
import { disableDestination } from '../../src/transfers/exchange/withdrawals/disable-destination';
import { countUnordered } from '../../src/transfers/unordered';
import { insertNetwork } from '../chain/wallets/support';
import { type Client, type TestApi, testApi } from '../support/api';
import { activeCard, fund, masterAccount, simulate, type TestCard } from '../support/cards';
import { until } from '../support/until';
import { ordered } from '../transfers/exchange/support';
import { destinationOf, withdrawn } from '../transfers/exchange/withdrawals/support';
import { created, fundedAccount, look } from '../transfers/payouts/support';
import { expectIndexes as explained } from './explain';
import { fillOperatorTables } from './fill-operator-tables';
import { type Statement, spiedDatabase } from './spy';

/**
 * Does for the operator's desk what plans.test.ts does for the API. Queues, stories, stops, approvals, the audit log,
 * daily sums, states of parties and metrics read only open rows among very many ended ones.
 */

const MANY = 60_000;
const LARGE = [
  ...['transfers', 'transfer_words', 'transfer_entries', 'transfer_decisions', 'deposits', 'payouts'],
  ...[
    'iban_payouts',
    'quotes',
    'daily_outflows',
    'daily_outflow_sums',
    'breaks',
    'audit_log',
    'audit_chain',
    'approvals',
  ],
  ...['account_exchanges', 'withdrawal_destinations', 'settlement_readings'],
  ...['kyc_reviews', 'workflow_commands', 'users', 'cardholders', 'cards', 'card_tokenizations', 'events'],
  ...['wallets', 'wallet_allocations', 'chain_readings'],
  'ledger_legs',
];

let api: TestApi;
let client: Client;
let card: TestCard;
let payout: string;
let destinationId: string;
let withdrawal: string;
let order: string;
let statements: Statement[];
beforeAll(async () => {
  const spied: Statement[] = [];
  api = await testApi({}, (database: Database) => spiedDatabase(database, spied));
  statements = spied;
  client = await api.client();
  card = await activeCard(api, client);
  await fund(api, card.accountId, '10.00');
  const accountId = await fundedAccount(api, client);
  payout = await created(client, accountId);
  destinationId = await destinationOf(api, client);
  withdrawal = (await withdrawn(client, { accountId, destinationId, amount: '10.00' })).id;
  order = await ordered({
    client,
    eur: await masterAccount(client, 'EUR'),
    usd: await masterAccount(client, 'USD'),
  });
  await look(api, payout);
  await fillOperatorTables(api.database, { tenantId: client.clientId, accountId: card.accountId }, MANY);
}, 300_000);
afterAll(() => api.close());

const expectIndexes = (work: () => Promise<unknown>) =>
  explained({ database: api.database, statements, large: LARGE }, work);
const database = () => api.services.database;
const page = { limit: 20 };

/** Lists that count a whole table on request, or look whether it has a row. Nothing refreshes them by itself. */
const COUNT_ALL = ['wallet-stats', 'wallet-seed'];

it('every list of the desk', async () => {
  const from = { after: undefined, ...page };
  for (const list of deskCatalogue(api.services).lists.filter(({ name }) => !COUNT_ALL.includes(name))) {
    // Without its record, a list of movements reads nothing.
    const record = list.name.endsWith('-movements') ? { account: card.accountId, card: card.id } : {};
    const own = { ...record, client: client.clientId, olderThan: 1_000 };
    await expectIndexes(() => list.rows({ filters: record, ...from }));
    const declared = Object.fromEntries(Object.entries(own).filter(([name]) => name in list.filters.shape));
    await expectIndexes(() => list.rows({ filters: declared, ...from }));
  }
});

it('every figure of the desk', async () => {
  const [from, to] = [new Date(Date.now() - 86_400_000), new Date()];
  for (const figure of deskCatalogue(api.services).figures)
    await expectIndexes(() => (figure.type === 'gauge' ? figure.values() : figure.points(from, to)));
});

it('the overview of the lists', () =>
  expectIndexes(() => waitingCounts(deskCatalogue(api.services).lists, database())));

const story = (id: string) => tell(deskCatalogue(api.services), api.services, { id, limit: 20 });

it.each([
  ['a payout', () => payout],
  ['a card', () => card.id],
  ['a withdrawal from the exchange', () => withdrawal],
  ['its destination', () => destinationId],
  ['an order of the exchange', () => order],
  ['an account', () => card.accountId],
  ['an account transaction', () => newId('accountTransaction')],
  ['a user', () => card.userId],
  ['a cardholder', () => card.cardholderId],
  ['an exchange', () => newId('accountExchange')],
  ['a tenant', () => client.clientId],
  ['what a break names', () => 'something-of-a-party'],
])('the story of %s', async (_name, id) => {
  await expectIndexes(() =>
    story(id()).catch((error: { status?: number }) => {
      if (error.status !== 404) throw error;
    }),
  );
});

it('the story of a card transaction and its reference', async () => {
  const { body } = await simulate(client, { cardId: card.id, type: 'authorization', amount: '1.00' });
  await expectIndexes(() => story(body.id));
  await expectIndexes(() => story(body.referenceId));
});

it('stops and approvals', async () => {
  await expectIndexes(() => listStops(database(), { limit: 20 }));
  await expectIndexes(() => listApprovals(database(), false, 20));
  await expectIndexes(() => listApprovals(database(), true, 20));
  await expectIndexes(() => approvalsToDecide(database(), { ...page, tenantId: client.clientId }));
});

it('the orders that no party was told of', () =>
  expectIndexes(() => countUnordered(database(), client.clientId)));

it('the audit log, and the pages of its proof', async () => {
  await expectIndexes(() => listAudit(database(), {}, 20));
  await expectIndexes(() => listAudit(database(), { actor: 'operator:nobody' }, 20));
  await expectIndexes(() => listAudit(database(), { subject: payout }, 20));
  await expectIndexes(() => listAudit(database(), { actor: 'operator:1', subject: payout }, 20));
  // The filled rows are no chain, so the proof ends at its first page.
  await expectIndexes(() => verifyAudit(database()));
});

it('withdrawals and their destinations', async () => {
  await expectIndexes(() => client.call('GET', '/v1/exchange/withdrawal-destinations'));
  await expectIndexes(() => client.call('GET', `/v1/exchange/withdrawals/${withdrawal}`));
  await expectIndexes(() => client.call('GET', '/v1/exchange/withdrawals'));
  await expectIndexes(() => client.call('GET', '/v1/exchange/withdrawals?from=2026-01-01&to=2026-01-02'));
  await expectIndexes(() =>
    database().transaction((tx) =>
      disableDestination(api.services, tx, { id: destinationId, by: 'operator:ida' }),
    ),
  );
  // An ended withdrawal is in neither index, so the search for withdrawals without an order does not read it. Few
  // transfers are open here, so both indexes cost the planner the same.
  const sent = statements.find(
    ({ text, values }) => text.includes('terms->>') && values?.includes(destinationId),
  );
  const plan = await database().query<{ 'QUERY PLAN': string }>(`explain ${sent?.text}`, sent?.values ?? []);
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
    /using (withdrawals_open_not_ordered|transfers_open)/,
  );
});

it('orders of the exchange, and its debts', async () => {
  const admin = await api.client('admin');
  const step = () => advance(api.services, exchangeOrderKind, order);
  await expectIndexes(() => client.call('GET', `/v1/exchange/orders/${order}`));
  await expectIndexes(() => client.call('GET', '/v1/exchange/orders'));
  // The exchange fills and pays at its own pace.
  const isDealt = async () => {
    await expectIndexes(step);
    const read = await client.call('GET', `/v1/exchange/orders/${order}`);
    return read.body.status === 'awaiting_settlement';
  };
  await until(isDealt);
  await expectIndexes(() => readSettlement(api.services));
  const balance = () => admin.call('GET', '/v1/exchange/settlement/balance');
  await expectIndexes(balance);
  const isPaid = async () =>
    ((await balance()).body.data as { currency: string; difference: string }[]).every(
      ({ currency, difference }) => currency !== 'USD' || Number(difference) === 0,
    );
  await until(isPaid);
  const check = () => admin.call('POST', '/v1/exchange/settlement/check-increase', { currency: 'USD' });
  await expectIndexes(async () => expect((await check()).body.ordersReleased).toEqual([order]));
  // The second sum adds only the rows after the first one.
  await expectIndexes(async () => expect((await check()).status).toBe(200));
});

it('the sum of a day', async () => {
  const day = new Date().toISOString().slice(0, 10);
  await expectIndexes(() =>
    api.services.database.transaction((tx) =>
      sumOfDay(tx, { tenantId: client.clientId, day, currency: 'USD' }),
    ),
  );
});

/** Attests the filled wallets of the client, as the product attests those that it derives. */
async function attestFilled(): Promise<void> {
  const filled = await database().query<Derived>(
    `select id, chain, address, derivation_index as "derivationIndex", purpose from wallets where tenant_id = $1`,
    [client.clientId],
  );
  await api.database.query(
    `update wallets w set attestation = n.attestation from unnest($1::text[], $2::bytea[]) n(id, attestation) where w.id = n.id`,
    [filled.map(({ id }) => id), filled.map((each) => attestationOf(api.services.keyring, each))],
  );
}

it('the pool of wallets', async () => {
  const chain = 'filled';
  await insertNetwork(database(), { chain });
  const admin = await api.client('admin');
  const asked = { chain, asset: 'USDT', accountId: await masterAccount(client) };
  await attestFilled();
  const allocate = (reference: string) =>
    client.call('POST', '/v1/wallets/allocate', { ...asked, reference, ttlSeconds: 600 });
  await expectIndexes(async () => expect((await allocate('of-an-available')).status).toBe(201));
  await database().query(`update wallets set status = 'disabled' where status = 'available'`);
  await expectIndexes(async () => expect((await allocate('of-one-that-rested')).status).toBe(201));
  await expectIndexes(async () => expect((await allocate('of-an-available')).status).toBe(200));
  await expectIndexes(() => admin.call('POST', '/v1/wallets/maintenance/release-expired', {}));
  await expectIndexes(() => admin.call('POST', '/v1/wallets/maintenance/release-expired', { chain }));
  await database().query(
    `update wallets set status = 'disabled', quarantined_until = null where status = 'quarantined'`,
  );
  await expectIndexes(async () => expect((await allocate('of-a-derived-one')).status).toBe(201));
  const { address, id } = (await allocate('of-a-derived-one')).body;
  await expectIndexes(() => ownerAt(database(), api.services.keyring, { chain, address, at: new Date() }));
  await expectIndexes(() => client.call('POST', '/v1/wallets/release', { chain, address }));
  await expectIndexes(() => story(id));
});

it('a chain beside the books', async () => {
  const chain = 'filled';
  await database().query(
    `insert into chain_places (chain, block_number, checked_number, read_at) values ($1, 7, 7, now())`,
    [chain],
  );
  await database().query(`insert into chain_blocks (chain, number, hash) values ($1, 7, '0x7')`, [chain]);
  await expectIndexes(() => unbookedAt(database(), chain, 7));
  await expectIndexes(() => refsOfHash(database(), { chain, address: '0x7', txHash: '0x77' }));
  await expectIndexes(() => refsUnshown(database(), { chain, address: '0x7', blockHash: '0x77' }));
  await expectIndexes(() => lastReadings(database()));
});

it('a step of a transfer, which stores the party’s state', () => expectIndexes(() => look(api, payout)));

it('the queries of metrics', async () => {
  for (const reading of readings(api.services)) {
    // All rows of that table wait, so the count stops at a limit.
    const large = reading.name === 'outbox' ? LARGE.filter((name) => name !== 'workflow_commands') : LARGE;
    await explained({ database: api.database, statements, large }, () => reading.read(database()));
  }
});
