/** @long fills the tables first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf, type NetworkCard, networkCard } from '../cards/processor/support';
import { type Client, type TestApi, testApi } from '../support/api';
import { fund, simulate } from '../support/cards';

/**
 * Covers what plans.test.ts cannot explain: statements inside functions, and plans made while tables were small. The
 * tables are analysed while small, as after a first night. After that no authorization may read a table completely.
 */

const LOOKED_UP = [
  'ledger_accounts',
  'idempotency_keys',
  'cards',
  'authorizations',
  'card_transactions',
  'events',
  'network_references',
  'processor_messages',
];

let api: TestApi;
let client: Client;
let cards: NetworkCard[];

beforeAll(async () => {
  api = await testApi();
  client = await api.client();
  cards = await Promise.all([networkCard(api, client), networkCard(api, client)]);
  for (const card of cards) await fund(api, card.accountId, '10.00');
  await authorizeAll('before');
  await api.database.query('vacuum analyze');
});
afterAll(() => api.close());

async function authorizeAll(name: string): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    const keyed = (card: NetworkCard) => ({ 'x-idempotency-key': `${name}-${card.id}-${turn}` });
    await Promise.all(
      cards.map((card) =>
        simulate(client, { cardId: card.id, type: 'authorization', amount: '0.01' }, keyed(card)),
      ),
    );
    const networkReference = `${name}-${turn}`;
    for (const type of ['authorization', 'clearing'])
      await Promise.all(cards.map((card) => lineOf(api, card)({ type, amount: '0.01', networkReference })));
  }
}

async function scans(): Promise<{ whole: Record<string, number>; looked: number }> {
  const rows = await api.database.query<{ relname: string; seq_scan: string; idx_scan: string }>(
    'select relname, seq_scan, idx_scan from pg_stat_user_tables where relname = any($1)',
    [LOOKED_UP],
  );
  const whole = Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
  const looked = Number(rows.find(({ relname }) => relname === 'ledger_accounts')?.idx_scan ?? 0);
  return { whole, looked };
}

/**
 * A backend that has reported its counts within the last second holds back later ones until it has been idle for ten
 * seconds (PGSTAT_IDLE_INTERVAL). Without this wait the test would count the set-up.
 */
const IDLE_MS = 11_000;

async function settledScans(lookedMoreThan: number) {
  for (let turn = 0; turn < 20; turn += 1) {
    const seen = await scans();
    await sleep(IDLE_MS);
    const again = await scans();
    if (again.looked > lookedMoreThan && again.looked === seen.looked) return again;
  }
  throw new Error('the statistics did not come to rest');
}

it('finds every row of an authorization by an index, also with a plan that is older than the rows', async () => {
  const before = await settledScans(0);
  await authorizeAll('after');
  const after = await settledScans(before.looked);
  expect(after.whole).toEqual(before.whole);
}, 600_000);
