import { randomUUID } from 'node:crypto';
import type { Client as TemporalClient } from '@temporalio/client';
import { createDepositActivities } from '../../activities/deposits';
import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { LOOK } from '../../src/kernel/temporal/signals';
import { decideDeposit, refundDeposit } from '../../src/transfers/deposits/decide';
import { accountBalance } from '../cards/cards/support';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../support/temporal';
import type { Session } from '../transfers/deposits/party-double';
import {
  created,
  type DepositWorld,
  depositWorld,
  inShort,
  pay,
  read,
  type TestDeposit,
  toldOf,
} from '../transfers/deposits/support';

let world: DepositWorld;
let temporal: TimeSkipping;
let runner: TemporalClient;
/** Every attempt to look since the test began, and what is to happen before and after each. */
let looks: number;
let before: (attempt: number) => void;
let after: (attempt: number) => void;

/** The activities on the workflows' own clock. */
const watchedActivities = () =>
  watchedSteps(createDepositActivities(world.api.services), {
    begins: (_, at) => {
      world.clock.ahead = at.getTime() - Date.now();
      looks += 1;
      before(looks);
      return looks;
    },
    ended: (attempt) => after(attempt),
  });

beforeAll(async () => {
  [world, temporal] = await Promise.all([depositWorld(), timeSkipping()]);
  await temporal.keepWorkers(watchedActivities());
  runner = temporal.client;
}, 600_000);
beforeEach(async () => {
  world.client = await world.api.client();
  world.clock.ahead = (await temporal.env.currentTimeMs()) - Date.now();
  world.double.refundsBegin = 'succeeded';
  looks = 0;
  before = () => undefined;
  after = () => undefined;
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(async () => {
  await temporal.close();
  await world.close();
});

const handleOf = (id: string) => runner.workflow.getHandle(`deposit-${id}`);

/** Hands the newest command of a deposit, or of a session, to Temporal, as the relay does. */
async function relay(id: string): Promise<void> {
  const command = world.api.commands.findLast(({ args }) => args[0] === id);
  if (!command) throw new Error(`nothing was asked for ${id}`);
  const { workflow, workflowId, taskQueue, args, action } = command;
  const options = { workflowId, taskQueue, args };
  if (action === 'start') await runner.workflow.start(workflow, options);
  else await runner.workflow.signalWithStart(workflow, { ...options, signal: LOOK });
}

/** A deposit whose workflow has begun. */
async function begun(): Promise<TestDeposit> {
  const deposit = await created(world.client);
  await relay(deposit.id);
  return deposit;
}

/** The party tells us, and our API tells the workflow. */
async function tell(deposit: { id: string }): Promise<void> {
  const at = new Date(Date.now() + world.clock.ahead);
  const answer = await world.double.tell(world.api.url, session(deposit).sessionId, { at });
  expect(answer).toBe(200);
  await relay(deposit.id);
}

const session = ({ id }: { id: string }): Session => world.double.session(id);
const hasPage = ({ id }: { id: string }) =>
  world.double.sessions().some(({ asked }) => asked['depositId'] === id);
const status = async (deposit: TestDeposit) => (await read(world.client, deposit)).status as string;
const told = async () => inShort(await toldOf(world.api, world.client));
const decide = (depositId: string, decision: 'approved' | 'rejected') =>
  world.api.database.transaction((tx) =>
    decideDeposit(world.api.services, tx, { depositId, decision, decidedBy: 'operator:ida' }),
  );
const refund = (depositId: string, amount: string) =>
  world.api.database.transaction((tx) =>
    refundDeposit(world.api.services, tx, {
      depositId,
      amount: new Decimal(amount),
      requestedBy: 'operator:ida',
    }),
  );

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn += 1) {
    if (turn > 2_000) throw new Error('it does not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const untilIs = (deposit: TestDeposit, wanted: string) =>
  until(async () => (await status(deposit)) === wanted);

/** From the start to the end of its newest run, in milliseconds of the workflow's own times. */
async function took(id: string): Promise<number> {
  const { startTime, closeTime } = await handleOf(id).describe();
  return (closeTime as Date).getTime() - startTime.getTime();
}

const eventsOf = async (id: string) => (await handleOf(id).fetchHistory()).events ?? [];

const MINUTE_MS = 60_000;

/** What the payloads of a history say, wherever in it they stand. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? [value] : [];
  return Object.values(value).flatMap(payloadsIn);
}

describe('a deposit', () => {
  it('is paid, settled and credited as callbacks tell, in at most thirty events', async () => {
    const deposit = await begun();
    await untilIs(deposit, 'awaiting_payment');
    pay(session(deposit));
    await tell(deposit);
    await untilIs(deposit, 'processing');
    session(deposit).status = 'settled';
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(await accountBalance(world.client, deposit.accountId)).toBe('96.80 0.00');
    const events = await eventsOf(deposit.id);
    expect(looks).toBe(3);
    expect(events.length).toBeLessThanOrEqual(30);
    const said = payloadsIn(events).join(' ');
    expect(said).toContain(deposit.id);
    for (const secret of [
      session(deposit).sessionId,
      'pay.example',
      deposit.body['checkoutUrl'],
      'shop.example',
    ])
      expect(said).not.toContain(secret);
  });

  it('is found paid and settled by asking, when every callback is lost', async () => {
    before = (attempt) => {
      if (attempt === 3) pay(session(deposit));
      if (attempt === 5) pay(session(deposit), {}, true);
    };
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(await took(deposit.id)).toBeGreaterThan(10 * MINUTE_MS);
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
  });

  it('expires at its time, not before and soon after', async () => {
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('expired');
    const [waited, life] = [
      await took(deposit.id),
      Date.parse(deposit.body['expiresAt']) - Date.parse(deposit.body['createdAt']),
    ];
    expect(life).toBe(30 * MINUTE_MS);
    expect(Math.abs(waited - life)).toBeLessThan(2 * MINUTE_MS);
    expect(await told()).toEqual(['account.deposit.expired']);
    expect((await eventsOf(deposit.id)).length).toBeLessThan(45);
  });

  it.each(['failed', 'cancelled'] as const)('is %s by the payer', async (ended) => {
    before = (attempt) => {
      if (attempt === 2) session(deposit).status = ended;
    };
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe(ended);
    expect(await told()).toEqual([`account.deposit.${ended}`]);
  });

  it('fails when the party will not make its page', async () => {
    world.double.faults.push('refuse');
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('failed');
    expect((await read(world.client, deposit)).failure).toBe('method_unavailable');
  });

  it('paid after it has expired begins again, and waits for the operator', async () => {
    const deposit = await begun();
    await handleOf(deposit.id).result();
    pay(session(deposit), {}, true);
    await tell(deposit);
    await untilIs(deposit, 'manual_review');
    await decide(deposit.id, 'approved');
    await relay(deposit.id);
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(await told()).toEqual([
      'account.deposit.expired',
      'account.deposit.manual_review',
      'deposit/checkout 96.80',
      'account.deposit.completed',
    ]);
  });

  it('of another amount waits weeks for the operator, who returns it', async () => {
    before = (attempt) => {
      if (attempt === 2) pay(session(deposit), { amount: '99.00' }, true);
      if (attempt === 30) decided = decide(deposit.id, 'rejected');
    };
    let decided: Promise<unknown> | undefined;
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('failed');
    await decided;
    expect(await took(deposit.id)).toBeGreaterThan(7 * 24 * 60 * MINUTE_MS);
    expect(session(deposit).refunds).toMatchObject([{ amount: '99.00', status: 'succeeded' }]);
    expect(await accountBalance(world.client, deposit.accountId)).toBe('0.00 0.00');
  });

  it('is refunded in parts, each time by a run of its own', async () => {
    before = (attempt) => {
      if (attempt === 2) pay(session(deposit), {}, true);
    };
    const deposit = await begun();
    await handleOf(deposit.id).result();
    world.double.refundsBegin = 'pending';
    await refund(deposit.id, '40.00');
    before = () => undefined;
    await relay(deposit.id);
    await until(() => session(deposit).refunds.length === 1);
    Object.assign(session(deposit).refunds[0] ?? {}, { status: 'succeeded' });
    expect(await handleOf(deposit.id).result()).toBe('completed');
    world.double.refundsBegin = 'succeeded';
    await refund(deposit.id, '60.00');
    await relay(deposit.id);
    expect(await handleOf(deposit.id).result()).toBe('refunded');
    expect(await accountBalance(world.client, deposit.accountId)).toBe('0.00 0.00');
  });

  it.each(['won', 'lost'] as const)('is charged back months later, and the dispute is %s', async (ended) => {
    before = (attempt) => {
      if (attempt === 2) pay(session(deposit), {}, true);
    };
    const deposit = await begun();
    await handleOf(deposit.id).result();
    await temporal.env.sleep('60 days');
    world.clock.ahead = (await temporal.env.currentTimeMs()) - Date.now();
    const dispute: Session['disputes'][number] = { id: 'dp_1', amount: '100.00', status: 'open' };
    session(deposit).disputes.push(dispute);
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('chargeback');
    expect(await accountBalance(world.client, deposit.accountId)).toBe('0.00 0.00');
    dispute.status = ended;
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('chargeback');
    const left = ended === 'won' ? '96.80 0.00' : '0.00 0.00';
    expect(await accountBalance(world.client, deposit.accountId)).toBe(left);
  });

  it('survives a worker that dies after every step and before it could tell', async () => {
    let steps = 0;
    after = () => {
      steps += 1;
      if (steps % 3 !== 0) throw new Error('the worker dies');
    };
    before = (attempt) => {
      if (attempt === 4) pay(session(deposit));
      if (attempt === 7) pay(session(deposit), {}, true);
    };
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(steps).toBe(9);
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
    expect(world.double.sessions().filter(({ asked }) => asked['depositId'] === deposit.id)).toHaveLength(1);
  });

  it('waits out a party that is away for hours, and no attempt stands in its history', async () => {
    const deposit = await created(world.client);
    before = (attempt) => {
      if (attempt <= 60) world.double.faults.push('500');
      else if (hasPage(deposit)) pay(session(deposit), {}, true);
    };
    await relay(deposit.id);
    // The page could not be made before the deposit expired: it never is.
    expect(await handleOf(deposit.id).result()).toBe('expired');
    world.double.faults.length = 0;
    expect((await eventsOf(deposit.id)).length).toBeLessThan(30);
  });
});

describe('a session that no deposit knows', () => {
  it('is matched as soon as its deposit knows it', async () => {
    const deposit = await created(world.client);
    world.double.faults.push('after'); // the page is made, and its answer lost
    await expect(
      createDepositActivities(world.api.services).lookAtDeposit({
        depositId: deposit.id,
        at: Date.now() + world.clock.ahead,
      }),
    ).rejects.toThrow();
    const { sessionId } = session(deposit);
    await world.double.tell(world.api.url, sessionId, { at: new Date(Date.now() + world.clock.ahead) });
    expect(world.api.commands.at(-1)).toMatchObject({ workflow: 'checkoutPayment', args: [sessionId] });
    await relay(sessionId);
    await relayStart(deposit.id);
    await untilIs(deposit, 'awaiting_payment');
    expect(await runner.workflow.getHandle(`checkout-payment-${sessionId}`).result()).toBe('matched');
    expect(world.api.commands.at(-1)).toMatchObject({
      workflow: 'depositLifecycle',
      action: 'look',
      args: [deposit.id],
    });
  });

  it('stands in suspense, with a break, once its money is ours', async () => {
    const { secret, url } = world.double;
    const answer = await fetch(`${url}/sessions`, {
      method: 'POST',
      headers: { 'idempotency-key': randomUUID(), authorization: secret.toString('hex') },
      body: JSON.stringify({ amount: '12.34', currency: 'CHF' }),
    });
    const { sessionId } = (await answer.json()) as { sessionId: string };
    const found = world.double.sessions().find((each) => each.sessionId === sessionId) as Session;
    before = (attempt) => {
      if (attempt === 3) pay(found, {}, true);
    };
    await world.double.tell(world.api.url, sessionId, { at: new Date(Date.now() + world.clock.ahead) });
    await relay(sessionId);
    const handle = runner.workflow.getHandle(`checkout-payment-${sessionId}`);
    expect(await handle.result()).toBe('suspended');
    await relay(sessionId);
    expect(await handle.result()).toBe('suspended');
    const shown = await world.api.database.query(
      'select kind, amount, currency from breaks where subject = $1',
      [sessionId],
    );
    expect(shown).toEqual([{ kind: 'deposit_unmatched', amount: '12.34', currency: 'CHF' }]);
    const [held] = await world.api.database.query<{ sum: string }>(
      `select sum(available) as sum from ledger_legs where account_id = 'suspense:CHF'`,
    );
    expect(held?.sum).toBe('12.34');
  });
});

/** The start of a deposit's workflow, whatever was asked for it since. */
async function relayStart(id: string): Promise<void> {
  const { workflowId, taskQueue, args } = world.api.commands.find((command) => command.args[0] === id) ?? {};
  await runner.workflow.start('depositLifecycle', {
    workflowId: workflowId ?? '',
    taskQueue: taskQueue ?? '',
    args: args ?? [],
  });
}
