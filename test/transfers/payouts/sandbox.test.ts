/** @long */
import { checkLedger } from '../../../src/kernel/ledger/check';
import { PAYING_SCENARIOS } from '../../../src/parties/sandbox/paying/scenarios';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { until } from '../../support/until';
import { breaksOf, created, fundedAccount, look, read } from './support';

/** The sandbox's party over HTTP, through the real adapter, on a clock that the test moves. */

const clock: { stoppedAt?: number; aheadMs: number } = { aheadMs: 0 };
let api: TestApi;
let client: Client;
let accountId: string;
beforeAll(async () => {
  api = await testApi({ now: () => new Date((clock.stoppedAt ?? Date.now()) + clock.aheadMs) });
  client = await api.client();
  accountId = await fundedAccount(api, client, '90000.00');
});
beforeEach(() => {
  delete clock.stoppedAt;
  clock.aheadMs = 0;
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

/** The statuses of a payout, by steps soon after its order and every ten seconds for a minute. */
async function statusesOf(amount: string): Promise<{ id: string; statuses: string[] }> {
  clock.stoppedAt = Date.now(); // the duration of a step must not matter
  const id = await created(client, accountId, { amount });
  const statuses: string[] = [];
  const moments = [0, 0, 1_000, ...[10, 21, 32, 43, 60].map((seconds) => seconds * 1_000)];
  for (const moment of moments) {
    clock.aheadMs = moment;
    const status = await look(api, id).catch((error: Error) => error.name);
    if (status !== statuses.at(-1)) statuses.push(status);
  }
  delete clock.stoppedAt;
  clock.aheadMs = 0;
  return { id, statuses };
}

const EXPECTED: Record<string, string[]> = {
  '901.01': ['processing', 'failed'],
  '901.02': ['processing', 'completed'],
  '901.03': ['processing'],
  '901.04': ['OutcomeUnknown', 'processing', 'completed'],
  '901.05': ['OutcomeUnknown', 'processing', 'completed'],
  '901.06': ['PartyAway', 'processing', 'completed'],
  '901.07': ['processing', 'completed', 'returned'],
  '901.08': ['processing', 'completed', 'returned'],
  '901.09': ['processing', 'sent', 'returned'],
  '901.10': ['processing', 'failed', 'completed'],
  '901.11': ['processing', 'sent', 'completed'],
  '901.12': ['processing', 'completed'],
  '901.13': ['processing', 'completed'],
  '901.14': ['processing', 'completed', 'returned'],
  '901.15': ['failed'],
  '901.16': ['processing', 'completed'],
};

it('every scenario has an expectation', () => {
  expect(PAYING_SCENARIOS.map(({ amount }) => amount)).toEqual(Object.keys(EXPECTED));
});

it.each(PAYING_SCENARIOS)('$amount: $effect', async ({ amount, refusal, orderRefusal }) => {
  const [available = 0, held = 0] = (await accountBalance(client, accountId)).split(' ').map(Number);
  const { id, statuses } = await statusesOf(amount);
  expect(statuses).toEqual(EXPECTED[amount]);
  const record = await read(client, accountId, id);
  const [left = 0, stillHeld = 0] = (await accountBalance(client, accountId)).split(' ').map(Number);
  const open = record.status === 'processing';
  expect(stillHeld - held).toBeCloseTo(open ? Number(record.totalDebit) : 0, 6);
  const nothingLeft = record.status === 'failed' || amount === '901.09'; // the fee is credited too
  const gone = nothingLeft ? 0 : Number(record.totalDebit) - Number(record.returnedAmount ?? 0);
  expect(available - left).toBeCloseTo(gone, 6);
  if (record.status === 'failed') expect(record.failure).toBe(refusal ?? orderRefusal);
  if (amount === '901.08') expect(record.returnedAmount).toBe('450.54');
  expect(await breaksOf(api, id)).toHaveLength(['901.09', '901.10'].includes(amount) ? 1 : 0);
});

it.each([
  ['100.00', 1],
  ['901.12', 1],
  ['901.13', 0],
])('callbacks of %s EUR send %i signals, beside forged or lost ones', async (amount, expected) => {
  const id = await created(client, accountId, { amount });
  await look(api, id);
  const looks = () => api.commands.filter(({ action, args }) => action === 'look' && args[0] === id).length;
  const forged = async () =>
    Number(
      (
        await api.database.query<{ sum: string }>(
          'select coalesce(sum(count), 0) as sum from forged_callbacks',
        )
      )[0]?.sum,
    );
  const before = await forged();
  await until(async () => looks() >= expected && (amount !== '901.12' || (await forged()) !== before));
  await new Promise((resolve) => setTimeout(resolve, 500)); // time for an unexpected signal
  expect(looks()).toBe(expected);
});
