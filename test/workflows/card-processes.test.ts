/** @long */
import type { Client as TemporalClient } from '@temporalio/client';
import { createCardActivities } from '../../activities/cards';
import { recordCardEvent } from '../../src/cards/events/operations';
import { checkLedger } from '../../src/kernel/ledger/check';
import { LOOK } from '../../src/kernel/temporal/signals';
import { SCENARIOS } from '../../src/parties/card-processor/sandbox/scenarios';
import { OutcomeUnknown } from '../../src/process/party-errors';
import { accountBalance, requestedCard } from '../cards/cards/support';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../support/temporal';
import { until } from '../support/until';

let api: TestApi;
let client: Client;
let temporal: TimeSkipping;
let runner: TemporalClient;
const clock = { at: new Date() };
/** The attempts of all steps since the test began, and a hook that runs after each attempt. */
let attempts: string[];
let after: (attempt: number) => void;

/** The card activities. The processor uses the workflows' clock. */
const watchedActivities = () =>
  watchedSteps(createCardActivities(api.services), {
    begins: (name, at) => {
      clock.at = at;
      return attempts.push(name);
    },
    ended: (attempt) => after(attempt),
  });

beforeAll(async () => {
  [api, temporal] = await Promise.all([testApi({ ...DECIDED_AT_ONCE, now: () => clock.at }), timeSkipping()]);
  client = await api.client();
  await temporal.keepWorkers(watchedActivities());
  runner = temporal.client;
}, 600_000);
beforeEach(() => {
  attempts = [];
  after = () => undefined;
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(async () => {
  await temporal.close();
  await api.close();
});

/** Runs the workflow of the last command for the record, as the relay does, until its end. */
async function run(workflow: string, id: string): Promise<string> {
  const command = api.commands.findLast((each) => each.workflow === workflow && each.args[0] === id);
  if (!command) throw new Error(`no command starts ${workflow}`);
  const { workflowId, taskQueue, args } = command;
  return runner.workflow.execute(workflow, { workflowId, taskQueue, args });
}

const statusOf = async (id: string) => String((await client.call('GET', `/v1/cards/${id}`)).body.status);
const issues = async (id: string) =>
  (await api.database.query(`select 1 from card_transactions where card_id = $1 and type = 'issue'`, [id]))
    .length;
const balance = async (accountId: string) => (await accountBalance(client, accountId)).split(' ').map(Number);
const confirmedAt = async (id: string) =>
  (await api.database.query('select processor_closed_at as at from cards where id = $1', [id]))[0]?.['at'];

/** In the first attempts, the worker dies after the step's work and before it reports the result. */
const dieUntil = (deaths: number) => (attempt: number) => {
  if (attempt <= deaths) throw new Error('the worker dies');
};

/** All payloads of a history, as text. */
function payloadsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? [value] : [];
  return Object.values(value).flatMap(payloadsIn);
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Labels without effect on the issuance, and the label that has its own test. */
const LATER = [
  'sandbox:unreachable-day',
  'sandbox:close-slow',
  'sandbox:close-unreachable',
  'sandbox:tokenize-refuse',
];

describe('card issuance', () => {
  it.each(SCENARIOS.filter(({ label }) => !LATER.includes(label)))(
    'ends with the decision of the processor: $label',
    async ({ label, refusal }) => {
      const expected = refusal ? 'failed' : 'active';
      const { id, accountId } = await requestedCard(api, client, { amount: '50.00', label });
      const [available = 0, held = 0] = await balance(accountId);
      expect(await run('cardIssuance', id)).toBe(expected);
      expect([await statusOf(id), await issues(id)]).toEqual([expected, refusal ? 0 : 1]);
      expect(await balance(accountId)).toEqual([refusal ? available + 51 : available, held - 51]);
    },
  );

  it('survives a day without the processor, with no attempt in its history', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:unreachable-day' });
    expect(await run('cardIssuance', id)).toBe('active');
    // The server's clock skips beyond the end, so the test takes the duration from the workflow's own times.
    const { startTime, closeTime } = await runner.workflow.getHandle(`card-issuance-${id}`).describe();
    const took = (closeTime as Date).getTime() - startTime.getTime();
    expect(took).toBeGreaterThanOrEqual(DAY_MS);
    expect(took).toBeLessThan(DAY_MS + 10 * 60_000); // continues soon after the processor is back
    expect(attempts.length).toBeLessThan(350);
    const { events } = await runner.workflow.getHandle(`card-issuance-${id}`).fetchHistory();
    expect(events?.length).toBeLessThan(40);
  });

  it('asks for the outcome of an unanswered order, and orders no second card', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:timeout' });
    await run('cardIssuance', id);
    expect(attempts.slice(0, 2)).toEqual(['orderCard', 'orderCard']);
    const made = await api.database.query('select calls from sandbox_orders where key = $1', [`issue-${id}`]);
    expect(made).toEqual([{ calls: 1 }]);
  });

  it('repeats an order that the processor does not know', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:lost-order' });
    await run('cardIssuance', id);
    expect(attempts.slice(0, 2)).toEqual(['orderCard', 'orderCard']);
    const made = await api.database.query('select calls from sandbox_orders where key = $1', [`issue-${id}`]);
    expect(made).toHaveLength(1);
  });

  it('stays open while the outcome is unknown', async () => {
    const { id } = await requestedCard(api, client);
    const { cardProcessor } = api.services.parties;
    const order = { bin: '44112200', currency: 'USD', cardholderId: '', label: null, callbackUrl: api.url };
    let asked = 0;
    const silent = async () => {
      asked += 1;
      if (asked < 12) throw new OutcomeUnknown();
      return cardProcessor.issue({ key: `issue-${id}`, ...order });
    };
    api.services.parties.cardProcessor = { ...cardProcessor, issue: silent, issuance: silent };
    try {
      expect(await run('cardIssuance', id)).toBe('active');
    } finally {
      api.services.parties.cardProcessor = cardProcessor;
    }
    expect(asked).toBe(12);
    expect(await issues(id)).toBe(1);
  });

  it('issues one card although the worker dies after its step, before it reports the result', async () => {
    const { id, accountId } = await requestedCard(api, client, { amount: '50.00' });
    const [available = 0, held = 0] = await balance(accountId);
    after = dieUntil(3);
    expect(await run('cardIssuance', id)).toBe('active');
    expect(attempts).toHaveLength(4);
    expect(await issues(id)).toBe(1);
    expect(await balance(accountId)).toEqual([available, held - 51]);
  });

  it('runs its activities on the queue of the processor only', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:timeout' });
    await run('cardIssuance', id);
    const { events } = await runner.workflow.getHandle(`card-issuance-${id}`).fetchHistory();
    const queues = events?.flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
      asked ? [asked.taskQueue?.name] : [],
    );
    expect(queues?.length).toBeGreaterThan(1);
    expect(new Set(queues)).toEqual(new Set(['party-card-processor']));
  });

  it('ends in its first step when the card is already issued', async () => {
    const { id } = await requestedCard(api, client);
    await run('cardIssuance', id);
    attempts = [];
    expect(await run('cardIssuance', id)).toBe('active');
    expect(attempts).toEqual(['orderCard']);
  });

  it('looks after a signal, and finds a decision that came by another way', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:slow' });
    // After 20 questions the next one is ten minutes away, and the server's time does not pass by itself here.
    const workflowId = `card-issuance-${id}`;
    const handle = await runner.workflow.start('cardIssuance', {
      workflowId,
      taskQueue: 'processes',
      args: [id, 20],
    });
    await until(() => attempts.includes('orderCard'));
    await until(async () => (await handle.describe()).raw.pendingActivities?.length === 0); // the first answer came
    const refused = { type: 'issue_failed', cardId: id, failure: 'callback', reach: null } as const;
    await api.database.transaction((tx) => recordCardEvent(tx, api.services, refused));
    await handle.signal(LOOK);
    await until(() => attempts.length > 1);
    expect(await handle.result()).toBe('failed');
    expect(await issues(id)).toBe(0);
  });

  it('has only ids, states and codes in its history', async () => {
    const { id } = await requestedCard(api, client, { label: 'sandbox:slow' });
    await run('cardIssuance', id);
    const history = await runner.workflow.getHandle(`card-issuance-${id}`).fetchHistory();
    const payloads = payloadsIn(history);
    expect(payloads).toEqual(expect.arrayContaining([JSON.stringify(id), '"processing"', '"active"']));
    const said = payloads.join(' ');
    const { cardNumber, cvv } = (await client.call('GET', `/v1/cards/${id}/sensitive`)).body;
    const { last4 } = (await client.call('GET', `/v1/cards/${id}`)).body;
    for (const secret of [
      cardNumber,
      `"${cvv}"`,
      `"${last4}"`,
      'sandbox:slow',
      'Ada',
      'Byron',
      'sandbox-card-',
    ]) {
      expect(said).not.toContain(secret);
    }
  });
});

describe('card closure', () => {
  async function closedCard(label?: string): Promise<string> {
    const { id } = await requestedCard(api, client, { amount: '20.00', ...(label ? { label } : {}) });
    await run('cardIssuance', id);
    attempts = [];
    expect((await client.call('DELETE', `/v1/cards/${id}`)).body.status).toBe('closed');
    return id;
  }

  it.each([undefined, 'sandbox:close-slow', 'sandbox:close-unreachable'])(
    'asks the processor until it confirms: %s',
    async (label) => {
      const id = await closedCard(label);
      expect(await confirmedAt(id)).toBeNull();
      expect(await run('cardClosure', id)).toBe('confirmed');
      expect(await confirmedAt(id)).toBeInstanceOf(Date);
    },
  );

  it('is confirmed once although the worker dies after each step', async () => {
    const id = await closedCard();
    after = dieUntil(1);
    await run('cardClosure', id);
    const first = await confirmedAt(id);
    await run('cardClosure', id);
    expect(attempts).toEqual(['closeAtProcessor', 'closeAtProcessor', 'closeAtProcessor']);
    expect(await confirmedAt(id)).toEqual(first);
  });
});

describe('card tokenization', () => {
  it.each([
    ['none', 'completed'],
    ['sandbox:tokenize-refuse', 'failed'],
  ])('ends with the decision of the processor: %s', async (label, expected) => {
    const card = await requestedCard(api, client, { label });
    await run('cardIssuance', card.id);
    const { body } = await client.call('POST', `/v1/cards/${card.id}/tokenize`, { wallet: 'apple_pay' });
    expect(await run('cardTokenization', String(body.id))).toBe(expected);
    const [row] = await api.database.query('select status from card_tokenizations where id = $1', [body.id]);
    expect(row).toEqual({ status: expected });
  });
});
