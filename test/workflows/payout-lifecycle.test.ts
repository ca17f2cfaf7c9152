/** @long */
import type { Client as TemporalClient, WorkflowHandle } from '@temporalio/client';
import { createTransferActivities } from '../../activities/transfers';
import { checkLedger } from '../../src/kernel/ledger/check';
import { LOOK } from '../../src/kernel/temporal/signals';
import { decideApproval } from '../../src/transfers/approval/decide';
import { payoutKind } from '../../src/transfers/payouts/kind';
import { createReading } from '../../src/watch/watch';
import { accountBalance } from '../cards/cards/support';
import { type Client, type TestApi, testApi } from '../support/api';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { until } from '../support/until';
import { credited, enabled, ibanBalance, paidOut } from '../transfers/iban/support';
import { type PartyDouble, partyDouble, type SetPayout } from '../transfers/payouts/party-double';
import { breaksOf, created, fundedAccount, IBAN, read, told } from '../transfers/payouts/support';

let api: TestApi;
let client: Client;
let accountId: string;
let party: PartyDouble;
let temporal: TimeSkipping;
let runner: TemporalClient;
/** The number of attempts since the test began, hooks before and after each, and the time of the last one. */
let attempts: number;
let before: (attempt: number) => unknown;
let after: (attempt: number) => void;
let lastAt: number;
/** How far the product's clock is ahead of the machine's, in milliseconds. It follows Temporal's clock. */
let ahead = 0;

const DAY_MS = 24 * 60 * 60 * 1000;

async function onServersClock(): Promise<number> {
  const at = await temporal.env.currentTimeMs();
  ahead = at - Date.now();
  return at;
}

function watchedActivities() {
  const { advancePayout, advanceIbanPayout } = createTransferActivities(api.services);
  const watched = (step: typeof advancePayout) => async (given: string) => {
    lastAt = await onServersClock();
    attempts += 1;
    const attempt = attempts;
    await before(attempt);
    const result = await step(given);
    after(attempt);
    return result;
  };
  return { advancePayout: watched(advancePayout), advanceIbanPayout: watched(advanceIbanPayout) };
}

beforeAll(async () => {
  [api, temporal] = await Promise.all([testApi({ now: () => new Date(Date.now() + ahead) }), timeSkipping()]);
  await temporal.keepWorkers(watchedActivities());
  runner = temporal.client;
}, 600_000);
beforeEach(async () => {
  await onServersClock();
  party = await partyDouble(api);
  client = await api.client();
  accountId = await fundedAccount(api, client, '50000.00');
  attempts = 0;
  before = () => undefined;
  after = () => undefined;
});
afterEach(async () => {
  await party.close();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(async () => {
  await temporal.close();
  await api.close();
});

/** Hands the last command for the payout to Temporal, as the committing process does. */
async function handOver(id: string): Promise<WorkflowHandle> {
  const command = api.commands.findLast(({ args }) => args[0] === id);
  if (!command) throw new Error('there is no command for the payout');
  const { workflow, workflowId, taskQueue, args, action } = command;
  const options = { workflowId, taskQueue, args };
  return action === 'look'
    ? runner.workflow.signalWithStart(workflow, { ...options, signal: LOOK })
    : runner.workflow.start(workflow, options);
}

const run = async (id: string) => String(await (await handOver(id)).result());
const handleOf = (id: string) => runner.workflow.getHandle(`payout-lifecycle-${id}`);
const eventsOf = async (id: string) => (await handleOf(id).fetchHistory()).events ?? [];
const balance = () => accountBalance(client, accountId);

/** Removes the party's list of changes, so that the product asks for each record. */
function withoutList(): void {
  const { changes: _, ...payouts } = api.services.parties.payouts;
  api.services.parties.payouts = payouts as typeof api.services.parties.payouts;
}

/** The party changes the payout and calls back. */
async function tell(id: string, state: SetPayout): Promise<void> {
  party.set(id, state);
  expect(await party.tell(api, id)).toBe(200);
  await handOver(id);
}

/** The party changes the payout before the step with each number. */
function script(id: string, steps: Record<number, SetPayout>) {
  before = (attempt) => {
    const step = steps[attempt];
    if (step) party.set(id, step);
  };
}

const decide = (payoutId: string, decision: 'approved' | 'rejected', reason?: string) =>
  api.database.transaction((tx) =>
    decideApproval(api.services, tx, payoutKind, {
      id: payoutId,
      decision,
      reason,
      decidedBy: 'operator:test',
    }),
  );

/** All payloads of a history, as text. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? [value] : [];
  return Object.values(value).flatMap(payloadsIn);
}

describe('below the threshold', () => {
  it('is sent and completed by questions alone', async () => {
    withoutList();
    const id = await created(client, accountId);
    script(id, { 3: { status: 'sent' }, 5: { status: 'completed' } });
    expect(await run(id)).toBe('completed');
    expect(await balance()).toBe('49899.65 0.00');
    expect(attempts).toBe(5);
    expect(party.payments).toHaveLength(1);
  });

  it('has at most 25 events in its history, with questions or with a callback for each state', async () => {
    const id = await created(client, accountId);
    const handle = await handOver(id);
    await until(() => party.payments.length === 1);
    for (const status of ['sent', 'completed'] as const) {
      await tell(id, { status });
      await until(async () => (await read(client, accountId, id)).status === status);
    }
    expect(await handle.result()).toBe('completed');
    expect((await eventsOf(id)).length).toBeLessThanOrEqual(25);

    withoutList();
    const asked = await created(client, accountId);
    attempts = 0;
    script(asked, { 2: { status: 'completed' } });
    await run(asked);
    expect((await eventsOf(asked)).length).toBeLessThanOrEqual(18);
  });

  it('fails when the party reports a failure, and the hold is released', async () => {
    withoutList();
    const id = await created(client, accountId);
    script(id, { 2: { status: 'failed', failureCode: 'account_not_found' } });
    expect(await run(id)).toBe('failed');
    expect(await read(client, accountId, id)).toMatchObject({ failure: 'account_not_found' });
    expect(await balance()).toBe('50000.00 0.00');
  });

  it('is returned after it was sent and before it is completed', async () => {
    withoutList();
    const id = await created(client, accountId);
    script(id, { 2: { status: 'sent' }, 3: { status: 'returned' } });
    expect(await run(id)).toBe('returned');
    expect(await balance()).toBe('49999.65 0.00');
  });

  it('is cancelled when its account was closed', async () => {
    const id = await created(client, accountId);
    await api.database.query(`update accounts set status = 'closed' where id = $1`, [accountId]);
    expect(await run(id)).toBe('cancelled');
    expect(await balance()).toBe('50000.00 0.00');
    expect(party.asked).toBe(0);
  });

  it('survives a day without the party, with no attempt in its history', async () => {
    withoutList();
    const id = await created(client, accountId);
    const { payouts } = api.services.parties;
    let beganAt: number | undefined;
    before = (attempt) => {
      beganAt ??= lastAt;
      party.orders = lastAt < beganAt + DAY_MS ? ['unavailable'] : [];
      party.questions = lastAt < beganAt + DAY_MS ? ['unavailable'] : [];
      if (party.payments.length > 0 && attempt > 1) party.set(id, { status: 'completed' });
    };
    expect(await run(id)).toBe('completed');
    api.services.parties.payouts = payouts;
    const { startTime, closeTime } = await handleOf(id).describe();
    const took = (closeTime as Date).getTime() - startTime.getTime();
    expect(took).toBeGreaterThanOrEqual(DAY_MS);
    expect(took).toBeLessThan(DAY_MS + 15 * 60_000);
    expect((await eventsOf(id)).length).toBeLessThan(40);
    expect(party.payments).toHaveLength(1);
  });

  it('stays open for days while the party reports no change, and continues as new', async () => {
    withoutList();
    const id = await created(client, accountId);
    let beganAt: number | undefined;
    before = (attempt) => {
      beganAt ??= lastAt;
      if (attempt > 1 && lastAt > beganAt + 3 * DAY_MS) party.set(id, { status: 'completed' });
    };
    expect(await run(id)).toBe('completed');
    expect(attempts).toBeGreaterThan(201); // more than one run makes
    // Intervals: a minute in the first hour, then a sixtieth of the wait, and ten minutes from the tenth hour on.
    expect(attempts).toBeLessThan(60 + 60 * Math.log(10) + 62 * 6 + 40);
    expect((await eventsOf(id)).length).toBeLessThan(1_600);
    expect(await balance()).toBe('49899.65 0.00');
  });

  it('asks no questions when the party has a list of changes', async () => {
    const id = await created(client, accountId);
    const handle = await handOver(id);
    await until(() => attempts === 1);
    await temporal.env.sleep(3 * DAY_MS);
    expect([attempts, party.asked]).toEqual([1, 1]);
    await tell(id, { status: 'completed' });
    expect(await handle.result()).toBe('completed');
    expect(attempts).toBe(2);
  });

  it.each([1, 2, 3])('is paid once although the worker dies after step %i', async (death) => {
    withoutList();
    const id = await created(client, accountId);
    // The party changes the payout with each reported step. The repeated step after the death finds the same state.
    const states = [undefined, { status: 'sent' }, { status: 'completed' }] as const;
    before = (attempt) => {
      const state = states[attempt > death ? attempt - 2 : attempt - 1];
      if (state) party.set(id, state);
    };
    after = (attempt) => {
      if (attempt === death) throw new Error('the worker dies');
    };
    expect(await run(id)).toBe('completed');
    expect(party.payments).toHaveLength(1);
    expect(await told(api, id)).toEqual(['withdraw/payout 100.00', 'fee/payout_fee 0.35']);
    expect(await balance()).toBe('49899.65 0.00');
  });

  it('is paid once when every step runs twice', async () => {
    withoutList();
    const id = await created(client, accountId);
    const states = [undefined, { status: 'sent' }, { status: 'completed' }] as const;
    before = (attempt) => {
      const state = states[Math.floor((attempt - 1) / 2)];
      if (state && party.payments.length > 0) party.set(id, state);
    };
    after = (attempt) => {
      if (attempt % 2 === 1) throw new Error('the worker dies');
    };
    expect(await run(id)).toBe('completed');
    expect(attempts).toBe(6);
    expect(party.payments).toHaveLength(1);
    expect(await told(api, id)).toHaveLength(2);
  });
});

describe('above the threshold', () => {
  const large = { amount: '20000.00' };

  it('waits for months until an operator approves it', async () => {
    const id = await created(client, accountId, large);
    const handle = await handOver(id);
    await until(async () => (await read(client, accountId, id)).status === 'pending_approval');
    await temporal.env.sleep(75 * DAY_MS);
    expect((await read(client, accountId, id)).status).toBe('pending_approval');
    expect(party.asked).toBe(0);
    expect(await balance()).toBe('29999.65 20000.35');
    party.begins = 'completed';
    await decide(id, 'approved', 'Called them.');
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    expect(await balance()).toBe('29999.65 0.00');
    expect(attempts).toBeLessThan(5);
    expect((await eventsOf(id)).length).toBeLessThan(30);
    const decisions = await api.database.query(
      'select kind, reason, decided_by from transfer_decisions where transfer_id = $1',
      [id],
    );
    expect(decisions).toEqual([{ kind: 'approve', reason: 'Called them.', decided_by: 'operator:test' }]);
  });

  it('releases the hold after a rejection, and the client reads the reason', async () => {
    const id = await created(client, accountId, large);
    const handle = await handOver(id);
    await until(async () => (await read(client, accountId, id)).status === 'pending_approval');
    await decide(id, 'rejected', 'No invoice.');
    await handOver(id);
    expect(await handle.result()).toBe('rejected');
    expect(await read(client, accountId, id)).toMatchObject({
      status: 'rejected',
      description: 'No invoice.',
    });
    expect(await balance()).toBe('50000.00 0.00');
    expect(party.asked).toBe(0);
    await expect(decide(id, 'approved')).rejects.toMatchObject({ code: 'invalid_transition' });
  });

  it('is not approved by a signal alone', async () => {
    const id = await created(client, accountId, large);
    const handle = await handOver(id);
    await until(() => attempts === 1);
    await handle.signal(LOOK);
    await until(() => attempts === 2);
    expect((await read(client, accountId, id)).status).toBe('pending_approval');
    expect(party.asked).toBe(0);
    await decide(id, 'rejected');
    await handle.signal(LOOK);
    expect(await handle.result()).toBe('rejected');
  });
});

describe('after its end', () => {
  async function completed(): Promise<string> {
    const id = await created(client, accountId);
    party.begins = 'completed';
    expect(await run(id)).toBe('completed');
    attempts = 0;
    return id;
  }

  it('starts again for one step after a callback weeks later', async () => {
    const id = await completed();
    await temporal.env.sleep(30 * DAY_MS);
    party.set(id, { status: 'returned' });
    expect(await party.tell(api, id)).toBe(200);
    expect(await run(id)).toBe('returned');
    expect(attempts).toBe(1);
    expect((await eventsOf(id)).length).toBeLessThanOrEqual(13);
    expect(await balance()).toBe('49999.65 0.00');
    expect(await told(api, id)).toContain('deposit/payout_returned 100.00');
    await party.tell(api, id);
    expect(await run(id)).toBe('returned');
    expect(await balance()).toBe('49999.65 0.00');
  });

  it('finds a return months later in the party’s list, without a callback', async () => {
    const id = await completed();
    await temporal.env.sleep(100 * DAY_MS);
    await onServersClock();
    party.set(id, { status: 'returned' });
    const payouts = api.services.parties.payouts;
    const { version } = party.payment(id);
    const change = { id: 'change-1', ref: `payout-${id}`, version };
    api.services.parties.payouts = {
      ...payouts,
      changes: async () => ({ changes: [change], unreadable: [], next: 'place', more: false }),
    };
    const reading = createReading(api.services, 'payouts');
    for (let turn = 0; turn < 2; turn += 1) await reading.read();
    expect(await run(id)).toBe('returned');
    expect(await balance()).toBe('49999.65 0.00');
  });

  it('is asked for at a party without a list, for four months', async () => {
    withoutList();
    const id = await completed();
    const due: number[] = [];
    for (let looks = 0; looks < 20; looks += 1) {
      const [row] = await api.database.query<{ due_by: Date | null }>(
        'select due_by from transfers where id = $1',
        [id],
      );
      if (!row?.due_by) break;
      due.push(row.due_by.getTime());
      await temporal.env.sleep(Math.max(0, row.due_by.getTime() - (await onServersClock())) + 1_000);
      await run(id);
    }
    expect(due).toHaveLength(12);
    expect((due.at(-1) as number) - (due[0] as number)).toBe(119 * DAY_MS);
  });

  it('books a contradicting word of the party and shows it to the operator', async () => {
    const id = await created(client, accountId);
    party.begins = 'failed';
    expect(await run(id)).toBe('failed');
    party.set(id, { status: 'completed' });
    await party.tell(api, id);
    expect(await run(id)).toBe('completed');
    expect(await balance()).toBe('49899.65 0.00');
    expect(await breaksOf(api, id)).toHaveLength(1);
  });
});

describe('from a virtual IBAN', () => {
  const begin = async () => {
    await credited(api, (await enabled(api, client)).id, '2000.00');
    return paidOut(client, '40.00');
  };

  it('completes in a workflow of its own', async () => {
    const { id, show } = await begin();
    const handle = await handOver(id);
    await until(() => party.payments.length === 1);
    party.set(id, { status: 'completed' });
    await party.tell(api, id, { path: '/callbacks/iban-payouts' });
    await handOver(id);
    expect(await handle.result()).toBe('completed');
    expect(handle.workflowId).toBe(`iban-payout-${id}`);
    expect([(await show()).status, await ibanBalance(client)]).toEqual(['completed', '1959.50 0.00']);
    expect(((await handle.fetchHistory()).events ?? []).length).toBeLessThanOrEqual(20);
  });

  it('is paid once although answers are lost and workers die', async () => {
    withoutList();
    const { id } = await begin();
    party.orders = ['done-and-silent', 'error-500', 'lost'];
    before = (attempt) => {
      if (attempt > 4 && party.payments.length > 0) party.set(id, { status: 'completed' });
    };
    after = (attempt) => {
      if (attempt % 2 === 1 && attempt < 10) throw new Error('the worker dies');
    };
    expect(await run(id)).toBe('completed');
    expect(party.payments).toHaveLength(1);
    expect(await ibanBalance(client)).toBe('1959.50 0.00');
  });
});

it('has only ids, states and codes in its history', async () => {
  const id = await created(client, accountId);
  party.orders = ['refused-422'];
  expect(await run(id)).toBe('failed');
  const said = payloadsIn(await handleOf(id).fetchHistory()).join(' ');
  expect(said).toContain(id);
  for (const secret of [IBAN, 'DE89', 'Ada', 'Byron', 'double-', '100.00'])
    expect(said).not.toContain(secret);
});
