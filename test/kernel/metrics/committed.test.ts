import { countCommitted, isMovedCounted } from '../../../src/kernel/metrics/committed';
import { createMetrics } from '../../../src/kernel/metrics/metrics';
import { type Client, type TestApi, testApi } from '../../support/api';
import { activeCard } from '../../support/cards';
import { create, created, fundedAccount } from '../../transfers/payouts/support';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

/** The counters after some work, by name and labels. */
async function countedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { observers, render } = createMetrics();
  const counted = countCommitted(observers);
  try {
    await work();
  } finally {
    counted.stop();
  }
  const lines = (await render()).body
    .split('\n')
    .filter((line) => /^(money_moved|transfer_statuses)_total\{/.test(line));
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]),
  );
}

it('counts what accounts receive and pay, and the statuses of transfers, when it was committed', async () => {
  const counts = await countedBy(async () => {
    const accountId = await fundedAccount(api, client, '500.00');
    await created(client, accountId, { amount: '100.00' });
    // Refused, so nothing is committed.
    expect((await create(client, accountId, { amount: '1000.00' })).status).toBe(409);
  });
  expect(counts).toEqual({
    'money_moved_total{kind="deposit/admin_deposit",currency="EUR"}': 500,
    'transfer_statuses_total{kind="payout",status="created"}': 1,
  });
});

it('counts what a card event moves', async () => {
  const card = await activeCard(api, client, '100.00');
  const counts = await countedBy(async () => {
    const message = { cardId: card.id, type: 'decline', amount: '12.50' };
    expect((await client.call('POST', '/sandbox/transactions', message)).status).toBe(201);
  });
  expect(counts).toEqual({ 'money_moved_total{kind="fee/decline_fee",currency="USD"}': 0.2 });
});

it('gathers nothing while nobody counts', () => {
  expect(isMovedCounted()).toBe(false);
});
