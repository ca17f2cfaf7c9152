/** @long */
import type { Client as TemporalClient } from '@temporalio/client';
import { createTransferActivities } from '../../activities/transfers';
import { checkLedger } from '../../src/kernel/ledger/check';
import { Decimal } from '../../src/kernel/money/money';
import { LOOK } from '../../src/kernel/temporal/signals';
import { decideDeposit, refundDeposit } from '../../src/transfers/deposits/decide';
import { createReading } from '../../src/watch/watch';
import { accountBalance } from '../cards/cards/support';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../support/temporal';
import type { Session } from '../transfers/deposits/party-double';
import {
  created,
  type DepositWorld,
  depositWorld,
  inShort,
  look,
  openBreaks,
  pay,
  read,
  type TestDeposit,
  toldOf,
} from '../transfers/deposits/support';

let world: DepositWorld;
let temporal: TimeSkipping;
let runner: TemporalClient;
/** The number of attempts since the test began, and hooks that run before and after each attempt. */
let looks: number;
let before: (attempt: number) => void;
let after: (attempt: number) => void;

async function setClock(): Promise<void> {
  world.clock.ahead = (await temporal.env.currentTimeMs()) - Date.now();
}

/** The activities, on the workflows' clock. */
const watchedActivities = () =>
  watchedSteps(createTransferActivities(world.api.services), {
    async begins() {
      await setClock(); // the server's clock, because a local activity has the machine's time
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
  await setClock();
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

/** Hands the last command for a deposit or a session to Temporal, as the relay does. */
async function relay(id: string): Promise<void> {
  const command = world.api.commands.findLast(({ args }) => args[0] === id);
  if (!command) throw new Error(`there is no command for ${id}`);
  const { workflow, workflowId, taskQueue, args, action } = command;
  const options = { workflowId, taskQueue, args };
  if (action === 'start') await runner.workflow.start(workflow, options);
  else await runner.workflow.signalWithStart(workflow, { ...options, signal: LOOK });
}

/** Creates a deposit and starts its workflow. */
async function begun(): Promise<TestDeposit> {
  const deposit = await created(world.client);
  await relay(deposit.id);
  return deposit;
}

/** The party calls back, and the command of the API reaches the workflow. */
const tell = ({ id }: { id: string }): Promise<void> => reportOf(world.double.session(id), id);

async function reportOf({ sessionId }: Session, id: string): Promise<void> {
  const at = new Date(Date.now() + world.clock.ahead);
  expect(await world.double.tell(world.api.url, sessionId, { at })).toBe(200);
  await relay(id);
}

/** Reads the party's list twice. The second reading sends the signal, because the change is still unknown. */
async function found(reading: ReturnType<typeof createReading>, { id }: { id: string }): Promise<void> {
  const before = world.api.commands.length;
  for (let turn = 0; turn < 2; turn += 1) await reading.read();
  const asked = world.api.commands.slice(before).filter(({ args }) => args[0] === id);
  expect(asked).toMatchObject([{ action: 'look' }]);
  await relay(id);
}

/** Creates a deposit that is paid, settled and credited. Its workflow has ended. */
async function credited(): Promise<TestDeposit> {
  const deposit = await begun();
  await untilIs(deposit, 'awaiting_payment');
  pay(session(deposit), {}, true);
  await tell(deposit);
  expect(await handleOf(deposit.id).result()).toBe('completed');
  return deposit;
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
  for (let turn = 1; !(await holds()); turn += 1) {
    if (turn > 2_000) throw new Error('the condition does not become true');
    await new Promise((resolve) => setTimeout(resolve, 20));
    // On a busy machine a local activity times out, and its retry waits for the server's time.
    if (turn % 200 === 0) await temporal.env.sleep('10 seconds');
  }
}

const untilIs = (deposit: TestDeposit, wanted: string) =>
  until(async () => (await status(deposit)) === wanted);

/** Duration of the last run by the workflow's own times, in milliseconds. */
async function took(id: string): Promise<number> {
  const { startTime, closeTime } = await handleOf(id).describe();
  return (closeTime as Date).getTime() - startTime.getTime();
}

const eventsOf = async (id: string) => (await handleOf(id).fetchHistory()).events ?? [];

/** The event types of a history, for a readable failure. */
const kindsOf = (events: Awaited<ReturnType<typeof eventsOf>>) => events.map(({ eventType }) => eventType);

const MINUTE_MS = 60_000;

/** All payloads of a history, as text. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? [value] : [];
  return Object.values(value).flatMap(payloadsIn);
}

describe('a deposit', () => {
  it('is paid, settled and credited by callbacks, in at most twenty events', async () => {
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
    expect(kindsOf(events)).toHaveLength(Math.min(events.length, 20));
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

  it('is credited from the party’s list when every callback is lost', async () => {
    const deposit = await begun();
    await untilIs(deposit, 'awaiting_payment');
    const reading = createReading(world.api.services, 'checkout');
    for (let turn = 0; turn < 2; turn += 1) await reading.read();
    pay(session(deposit));
    await found(reading, deposit);
    await untilIs(deposit, 'processing');
    session(deposit).status = 'settled';
    await found(reading, deposit);
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(looks).toBe(3);
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
  });

  it('expires soon after its time, and not before', async () => {
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('expired');
    const [waited, life] = [
      await took(deposit.id),
      Date.parse(deposit.body['expiresAt']) - Date.parse(deposit.body['createdAt']),
    ];
    expect(life).toBe(30 * MINUTE_MS);
    expect(Math.abs(waited - life)).toBeLessThan(2 * MINUTE_MS);
    expect(await told()).toEqual(['account.deposit.expired']);
    expect((await eventsOf(deposit.id)).length).toBeLessThan(20);
  });

  it.each(['failed', 'cancelled'] as const)('is %s by the payer', async (ended) => {
    const deposit = await begun();
    await untilIs(deposit, 'awaiting_payment');
    session(deposit).status = ended;
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe(ended);
    expect(await told()).toEqual([`account.deposit.${ended}`]);
  });

  it('fails when the party refuses to create the page', async () => {
    world.double.faults.push('refuse');
    const deposit = await begun();
    expect(await handleOf(deposit.id).result()).toBe('failed');
    expect((await read(world.client, deposit)).failure).toBe('method_unavailable');
  });

  it('that is paid after its expiry starts again, and waits for the operator', async () => {
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

  it('with a wrong amount waits weeks for the operator, who returns it', async () => {
    const deposit = await begun();
    await untilIs(deposit, 'awaiting_payment');
    pay(session(deposit), { amount: '99.00' }, true);
    await tell(deposit);
    await untilIs(deposit, 'manual_review');
    await temporal.env.sleep('21 days');
    await setClock();
    expect(looks).toBe(2); // no step during the wait
    await decide(deposit.id, 'rejected');
    await relay(deposit.id);
    expect(await handleOf(deposit.id).result()).toBe('failed');
    expect(await took(deposit.id)).toBeGreaterThan(20 * 24 * 60 * MINUTE_MS);
    expect(session(deposit).refunds).toMatchObject([{ amount: '99.00', status: 'succeeded' }]);
    expect(await accountBalance(world.client, deposit.accountId)).toBe('0.00 0.00');
  });

  it('is refunded in two parts, each by a new run', async () => {
    const deposit = await credited();
    world.double.refundsBegin = 'pending';
    await refund(deposit.id, '40.00');
    await relay(deposit.id);
    await until(() => session(deposit).refunds.length === 1);
    Object.assign(session(deposit).refunds[0] ?? {}, { status: 'succeeded' });
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('completed');
    world.double.refundsBegin = 'succeeded';
    await refund(deposit.id, '60.00');
    await relay(deposit.id);
    expect(await handleOf(deposit.id).result()).toBe('refunded');
    expect(await accountBalance(world.client, deposit.accountId)).toBe('0.00 0.00');
  });

  it.each(['won', 'lost'] as const)(
    'is charged back months later, and the dispute ends: %s',
    async (ended) => {
      const deposit = await credited();
      await temporal.env.sleep('60 days');
      await setClock();
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
    },
  );

  it('asks again after a minute before it believes a word that takes a payment back', async () => {
    const deposit = await begun();
    await untilIs(deposit, 'awaiting_payment');
    pay(session(deposit));
    await tell(deposit);
    await untilIs(deposit, 'processing');
    session(deposit).status = 'failed';
    const since = await temporal.env.currentTimeMs();
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('failed');
    const waited = (await temporal.env.currentTimeMs()) - since;
    expect([looks, waited >= MINUTE_MS]).toEqual([4, true]);
  });

  it('is credited once although the worker dies after every step', async () => {
    let steps = 0;
    after = () => {
      steps += 1;
      if (steps % 3 !== 0) throw new Error('the worker dies');
    };
    const deposit = await begun();
    await until(() => steps === 3);
    pay(session(deposit));
    await tell(deposit);
    await until(() => steps === 6);
    pay(session(deposit), {}, true);
    await tell(deposit);
    expect(await handleOf(deposit.id).result()).toBe('completed');
    expect(steps).toBe(9);
    expect(await told()).toEqual(['deposit/checkout 96.80', 'account.deposit.completed']);
    expect(world.double.sessions().filter(({ asked }) => asked['depositId'] === deposit.id)).toHaveLength(1);
  });

  it('survives a party that is away for hours, with no attempt in its history', async () => {
    const deposit = await created(world.client);
    before = (attempt) => {
      if (attempt <= 60) world.double.faults.push('500');
      else if (hasPage(deposit)) pay(session(deposit), {}, true);
    };
    await relay(deposit.id);
    // The deposit expires without a page, because the party could not create one in time.
    expect(await handleOf(deposit.id).result()).toBe('expired');
    world.double.faults.length = 0;
    expect((await eventsOf(deposit.id)).length).toBeLessThan(30);
  });
});

describe('a checkout session that no deposit names', () => {
  /** Sends the party's callback of a session, and starts `checkoutPayment` for it. */
  async function search(sessionId: string) {
    await world.double.tell(world.api.url, sessionId, { at: new Date(Date.now() + world.clock.ahead) });
    expect(world.api.commands.at(-1)).toMatchObject({ workflow: 'checkoutPayment', args: [sessionId] });
    await relay(sessionId);
    return runner.workflow.getHandle(`checkout-payment-${sessionId}`);
  }
  const searched = async (sessionId: string): Promise<string> => (await search(sessionId)).result();

  it('belongs to a deposit whose answer with the page was lost', async () => {
    const deposit = await created(world.client);
    world.double.faults.push('after');
    await expect(look(world, deposit.id)).rejects.toThrow();
    const found = await search(session(deposit).sessionId);
    await temporal.env.sleep('6 seconds');
    await until(() =>
      world.api.commands.some(({ action, args }) => action === 'look' && args[0] === deposit.id),
    );
    await relay(deposit.id);
    await untilIs(deposit, 'awaiting_payment');
    // The deposit redirects the payer to the page.
    const { pathname } = new URL(deposit.body['checkoutUrl']);
    const { status: led, headers } = await fetch(world.api.url + pathname, { redirect: 'manual' });
    expect([led, headers.get('location')]).toEqual([
      303,
      `https://pay.example/${session(deposit).sessionId}`,
    ]);
    // The result comes last, because the server skips time during the wait, beyond the time to pay.
    expect(await found.result()).toBe('known');
  });

  it('is dropped without money, kept with a payment, and in suspense once it is settled', async () => {
    const sessionId = world.double.foreign('CHF');
    const theirs = world.double.sessions().find((each) => each.sessionId === sessionId) as Session;
    expect(await searched(sessionId)).toBe('nothing');
    pay(theirs, { amount: '12.34' });
    expect(await searched(sessionId)).toBe('kept');
    const { args } = world.api.commands.at(-1) ?? {};
    const id = String(args?.[0]);
    await relay(id);
    expect(await handleOf(id).result()).toBe('manual_review');
    theirs.status = 'settled';
    await reportOf(theirs, id);
    expect(await handleOf(id).result()).toBe('manual_review');
    expect(await openBreaks(world, id)).toEqual(['transfer_suspense 12.34']);
    const [held] = await world.api.database.query<{ sum: string }>(
      `select sum(available) as sum from ledger_legs where account_id = 'suspense:CHF'`,
    );
    expect(held?.sum).toBe('12.34');
  });
});
