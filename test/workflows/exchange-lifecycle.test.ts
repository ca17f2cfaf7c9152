/** @long */
import type { WorkflowHandle } from '@temporalio/client';
import { createTransferActivities } from '../../activities/transfers';
import { checkLedger } from '../../src/kernel/ledger/check';
import { LOOK } from '../../src/kernel/temporal/signals';
import { decideApproval } from '../../src/transfers/approval/decide';
import { exchangeKey } from '../../src/transfers/exchange/orders/kind';
import { exchangeWithdrawalKind, withdrawalKey } from '../../src/transfers/exchange/withdrawals/kind';
import { createReading } from '../../src/watch/watch';
import { testApi } from '../support/api';
import { fund, masterAccount } from '../support/cards';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { until } from '../support/until';
import { exchangeDouble } from '../transfers/exchange/double';
import { balance, check, ordered, read, type World } from '../transfers/exchange/support';
import * as withdrawals from '../transfers/exchange/withdrawals/support';

/** The workflows of exchange orders and withdrawals on skipped time. */

let on: World;
let temporal: TimeSkipping;
/** The number of attempts since the test began, and hooks that run before and after each attempt. */
let attempts: number;
let before: (attempt: number) => unknown;
let after: (attempt: number) => void;
/** How far the product's clock is ahead of the machine's, in milliseconds. It follows Temporal's clock. */
let ahead = 0;
/** The USD balance that the exchange has reported. A check counts the increase. */
let usd = 0; // whole units

const HOUR_MS = 60 * 60_000;

async function onServersClock(): Promise<void> {
  ahead = (await temporal.env.currentTimeMs()) - Date.now();
}

function watchedActivities() {
  const { advanceExchangeOrder, advanceExchangeWithdrawal } = createTransferActivities(on.api.services);
  const watched = (step: typeof advanceExchangeOrder) => async (id: string) => {
    await onServersClock();
    const attempt = (attempts += 1);
    await before(attempt);
    const result = await step(id);
    after(attempt);
    return result;
  };
  return {
    advanceExchangeOrder: watched(advanceExchangeOrder),
    advanceExchangeWithdrawal: watched(advanceExchangeWithdrawal),
  };
}

beforeAll(async () => {
  const double = exchangeDouble();
  const [api, skipping] = await Promise.all([
    testApi({ now: () => new Date(Date.now() + ahead), parties: { exchange: double.port } }),
    timeSkipping(),
  ]);
  temporal = skipping;
  const nobody = await api.client();
  on = { api, double, client: nobody, admin: await api.client('admin'), eur: '', usd: '' };
  await temporal.keepWorkers(watchedActivities());
}, 600_000);
beforeEach(async () => {
  await onServersClock();
  on.api.services.parties.exchange = on.double.port;
  on.double.clock.now = () => Date.now() + ahead;
  on.client = await on.api.client();
  [on.eur, on.usd] = [await masterAccount(on.client, 'EUR'), await masterAccount(on.client, 'USD')];
  await fund(on.api, on.eur, '50000.00');
  attempts = 0;
  before = () => undefined;
  after = () => undefined;
});
afterEach(async () => expect(await checkLedger(on.api.database)).toEqual([]));
afterAll(async () => {
  await temporal.close();
  await on.api.close();
});

/** Hands the last command for the record to Temporal, as the committing process does. */
async function handOver(id: string): Promise<WorkflowHandle> {
  const command = on.api.commands.findLast(({ args }) => args[0] === id);
  if (!command) throw new Error('there is no command for the record');
  const { workflow, workflowId, taskQueue, args, action } = command;
  const options = { workflowId, taskQueue, args };
  return action === 'look'
    ? temporal.client.workflow.signalWithStart(workflow, { ...options, signal: LOOK })
    : temporal.client.workflow.start(workflow, options);
}

const run = async (id: string) => String(await (await handOver(id)).result());
const eventsOf = async (handle: WorkflowHandle) => (await handle.fetchHistory()).events ?? [];

/** Removes the exchange's list of changes, so that the product asks for each record. */
function withoutList(): void {
  const { changes: _, ...exchange } = on.api.services.parties.exchange;
  on.api.services.parties.exchange = exchange as typeof on.api.services.parties.exchange;
}

/** Puts a change on the exchange's list and reads the list as its watcher does. */
async function listed(ref: string, version: number): Promise<void> {
  const changes = [{ id: `change-${ref}-${version}`, ref, version }];
  on.api.services.parties.exchange = {
    ...on.api.services.parties.exchange,
    changes: async () => ({ changes, unreadable: [], next: 'place', more: false }),
  };
  const asked = on.api.commands.length;
  const reading = createReading(on.api.services, 'exchange');
  // The second reading sends the signal, because the change is still unknown.
  for (let turn = 0; turn < 2; turn += 1) await reading.read();
  expect(on.api.commands.length).toBeGreaterThan(asked);
}

/** Settles a purchase and runs a check of the settlement. */
async function settle(bought: number): Promise<unknown> {
  usd += bought;
  on.double.balances = { USD: String(usd) };
  const { body } = await check(on);
  return body.ordersReleased;
}

describe('an order', () => {
  const isNow = (id: string, status: string) => until(async () => (await read(on, id)).status === status);
  const say = (id: string, ...said: string[]) => {
    const [status, ...fills] = said;
    on.double.say(exchangeKey(id), status as 'filled', ...fills);
  };

  it('is filled, waits for days without asking, and completes when a check releases it', async () => {
    const id = await ordered(on);
    const handle = await handOver(id);
    await isNow(id, 'executing');
    say(id, 'filled', '60 65', '40 43');
    await handle.signal(LOOK);
    await isNow(id, 'awaiting_settlement');
    await temporal.env.sleep(72 * HOUR_MS);
    expect(attempts).toBe(2);
    expect(await balance(on.client, on.eur)).toBe('49900.00 100.00');
    await onServersClock();
    expect(await settle(108)).toEqual([id]);
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    expect(await balance(on.client, on.eur)).toBe('49900.00 0.00');
    expect(await balance(on.client, on.usd)).toBe('108.00 0.00');
    expect((await eventsOf(handle)).length).toBeLessThanOrEqual(25);
  });

  it('fails when the exchange reports a failure, and the hold is released', async () => {
    withoutList();
    const id = await ordered(on);
    before = (attempt) => attempt === 3 && say(id, 'failed');
    expect(await run(id)).toBe('failed');
    expect(attempts).toBe(3);
    expect(await balance(on.client, on.eur)).toBe('50000.00 0.00');
  });

  it('at a slow exchange without a list is asked for until it is filled', async () => {
    withoutList();
    const id = await ordered(on);
    const handle = await handOver(id);
    await isNow(id, 'executing');
    await temporal.env.sleep(24 * HOUR_MS);
    expect(attempts).toBeGreaterThan(24);
    say(id, 'filled', '100 110');
    await temporal.env.sleep(HOUR_MS);
    await isNow(id, 'awaiting_settlement');
    await onServersClock();
    expect(await settle(110)).toEqual([id]);
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    expect(on.double.orders.has(exchangeKey(id))).toBe(true);
  });

  it('is filled from the list alone', async () => {
    const id = await ordered(on);
    const handle = await handOver(id);
    await isNow(id, 'executing');
    await temporal.env.sleep(24 * HOUR_MS);
    expect(attempts).toBe(1);
    say(id, 'filled', '100 110');
    await onServersClock();
    await listed(exchangeKey(id), 2);
    await handOver(id);
    await isNow(id, 'awaiting_settlement');
    expect(await settle(110)).toEqual([id]);
    await handOver(id);
    expect(await handle.result()).toBe('completed');
  });

  it('is ordered and booked once although the answer is lost and every step runs twice', async () => {
    withoutList();
    const id = await ordered(on);
    const others = on.double.orders.size;
    on.double.next.push('lost');
    before = (attempt) => attempt === 5 && say(id, 'filled', '100 110');
    after = (attempt) => {
      if (attempt % 2 === 1) throw new Error('the worker dies');
    };
    const handle = await handOver(id);
    await temporal.env.sleep(HOUR_MS);
    await isNow(id, 'awaiting_settlement');
    await onServersClock();
    expect(await settle(110)).toEqual([id]);
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    expect(on.double.orders.size).toBe(others + 1);
    expect(await balance(on.client, on.usd)).toBe('110.00 0.00');
  });
});

describe('a withdrawal', () => {
  let double: withdrawals.ExchangeDouble;
  let destinationId: string;
  beforeEach(async () => {
    double = withdrawals.exchangeDouble(on.api);
    destinationId = await withdrawals.destinationOf(on.api, on.client);
  });

  async function withdrawn(amount: string): Promise<string> {
    const { id } = await withdrawals.withdrawn(on.client, { accountId: on.eur, destinationId, amount });
    return id as string;
  }
  const statusOf = async (id: string) => (await withdrawals.read(on.client, id)).status as string;
  const decide = (payoutId: string, decision: 'approved' | 'rejected') =>
    on.api.database.transaction((tx) =>
      decideApproval(on.api.services, tx, exchangeWithdrawalKind, {
        id: payoutId,
        decision,
        reason: undefined,
        decidedBy: 'operator:test',
      }),
    );

  it('is sent and completed by questions alone although the answer to the order was lost', async () => {
    withoutList();
    double.faults.push('lost');
    const id = await withdrawn('100.00');
    before = (attempt) => {
      if (attempt === 4) double.say(id, 'sent');
      if (attempt === 6) double.say(id, 'completed');
    };
    expect(await run(id)).toBe('completed');
    expect(double.orders.size).toBe(1);
    expect(await balance(on.client, on.eur)).toBe('49900.00 0.00');
  });

  it('fails when the exchange reports a failure, and the hold is released', async () => {
    withoutList();
    const id = await withdrawn('100.00');
    before = (attempt) => attempt === 2 && double.say(id, 'failed');
    expect(await run(id)).toBe('failed');
    expect(await balance(on.client, on.eur)).toBe('50000.00 0.00');
  });

  it('completes from the list alone, and returns weeks after its end', async () => {
    const id = await withdrawn('100.00');
    const handle = await handOver(id);
    await until(() => double.orders.size === 1);
    await temporal.env.sleep(24 * HOUR_MS);
    expect(attempts).toBe(1);
    double.say(id, 'completed');
    await onServersClock();
    await listed(withdrawalKey(id), 2);
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    await temporal.env.sleep(30 * 24 * HOUR_MS);
    await onServersClock();
    double.say(id, 'returned');
    await listed(withdrawalKey(id), 3);
    expect(await run(id)).toBe('returned');
    expect(await balance(on.client, on.eur)).toBe('50000.00 0.00');
  });

  it('above the threshold waits for an operator, and nothing is sent before', async () => {
    const [approved, rejected] = [await withdrawn('20000.00'), await withdrawn('20000.00')];
    const handles = [await handOver(approved), await handOver(rejected)];
    await until(() => attempts === 2);
    await temporal.env.sleep(72 * HOUR_MS);
    expect([await statusOf(approved), double.orders.size]).toEqual(['pending_approval', 0]);
    await decide(rejected, 'rejected');
    await handOver(rejected);
    await until(async () => (await statusOf(rejected)) === 'rejected');
    await decide(approved, 'approved');
    await handOver(approved);
    await until(() => double.orders.size === 1);
    double.say(approved, 'completed');
    await handles[0]?.signal(LOOK);
    // The results come last, because the server skips time during the wait for a result.
    expect(await handles[0]?.result()).toBe('completed');
    expect(await handles[1]?.result()).toBe('rejected');
    expect(await balance(on.client, on.eur)).toBe('30000.00 0.00');
  });
});
