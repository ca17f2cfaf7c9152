/** @long */
import { randomUUID } from 'node:crypto';
import type { WorkflowCommand } from '../../src/kernel/outbox/commands';
import { PartyAway } from '../../src/process/party-errors';
import { createPartyGate } from '../../src/process/party-gate';
import { discover, receiveReport } from '../../src/transfers/discover';
import { createFirstStep } from '../../src/transfers/first-step';
import { createReading } from '../../src/watch/watch';
import { type Client, type TestApi, testApi } from '../support/api';
import { until } from '../support/until';
import { created, type DepositWorld, depositWorld, look, pay, read } from './deposits/support';
import { asked } from './external-cards/support';
import { fundedAccount, created as payoutCreated } from './payouts/support';

/**
 * The first step of a new transfer, which the committing process makes. Temporal is absent; the tests read its
 * commands.
 */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
});
afterEach(() => {
  world.double.faults.length = 0;
});
afterAll(() => world.close());

const DAY_MS = 24 * 60 * 60_000;
const commandOf = (id: string, { commands } = world.api): WorkflowCommand => {
  const found = commands.find(({ workflowId, action }) => workflowId.endsWith(id) && action === 'start');
  if (!found) throw new Error(`no command starts ${id}`);
  return found;
};
/** The committing process has the command still to itself. */
const leased = () => true;
const firstStep = (id: string, api = world.api) => createFirstStep(api.services)(commandOf(id, api), leased);

it('gives the order, and returns when the workflow must wake', async () => {
  const { id, accountId, body } = await created(world.client);
  expect(await firstStep(id)).toEqual({
    status: 'awaiting_payment',
    until: new Date(body['expiresAt']),
    waitsFor: 'Waits for the payer.',
  });
  expect(await read(world.client, { accountId, id })).toMatchObject({ status: 'awaiting_payment' });
});

it('says that the transfer has ended when nothing is left to wait for', async () => {
  const { id } = await created(world.client);
  await world.api.database.query(
    `update transfers set terms = terms || '{"expiresAt": "2020-01-01T00:00:00Z"}' where id = $1`,
    [id],
  );
  expect(await firstStep(id)).toEqual({ status: 'expired', waitsFor: 'Nothing is left to wait for.' });
});

it('takes the step of a callback that comes soon after', async () => {
  const { id } = await created(world.client);
  const step = createFirstStep(world.api.services);
  await step(commandOf(id), leased);
  pay(world.double.session(id), {}, true);
  expect(await step({ ...commandOf(id), action: 'look' }, leased)).toMatchObject({ status: 'completed' });
});

it('takes that step although the orders of new transfers take all places', async () => {
  const { id } = await created(world.client);
  await firstStep(id);
  pay(world.double.session(id), {}, true);
  const step = createFirstStep(world.api.services, createPartyGate({ atOnce: 0, waitMs: 0 }));
  expect(await step(commandOf(id), leased)).toBeUndefined();
  expect(await step({ ...commandOf(id), action: 'look' }, leased)).toMatchObject({ status: 'completed' });
});

describe('at the sandbox’s parties', () => {
  let api: TestApi;
  let client: Client;
  beforeAll(async () => {
    api = await testApi();
    client = await api.client();
  });
  afterAll(() => api.close());

  it('a deposit needs no signal, because it knows its page from the order', async () => {
    const { id } = await created(client);
    const { checkout } = api.services.parties;
    await firstStep(id, api);
    const reading = createReading(api.services, 'checkout');
    await reading.read();
    await reading.read(); // the second reading sends signals for unknown changes
    expect(api.commands.filter(({ workflowId }) => workflowId.endsWith(id))).toHaveLength(1);
    const [row] = await api.database.query('select party_ref as ref from transfers where id = $1', [id]);
    const { changes } = await checkout.changes(null);
    expect(changes).toContainEqual(expect.objectContaining({ ref: row?.['ref'], version: 1 }));
  });

  it('a payout that waits only for a word still wakes once a day', async () => {
    const id = await payoutCreated(client, await fundedAccount(api, client));
    const rest = await firstStep(id, api);
    expect(rest?.status).toBe('processing');
    expect(Math.abs((rest?.until?.getTime() ?? 0) - Date.now() - DAY_MS)).toBeLessThan(60_000);
  });

  it('two payouts ask the database once whether commits were lost lately', async () => {
    const accountId = await fundedAccount(api, client);
    const ids = [await payoutCreated(client, accountId), await payoutCreated(client, accountId)];
    const at = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(at);
    const query = jest.spyOn(api.services.database, 'query');
    for (const id of ids) expect((await firstStep(id, api))?.status).toBe('processing');
    const asked = query.mock.calls.filter(([text]) => text.includes('lost_commits'));
    query.mockRestore();
    clock.mockRestore();
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it.each(['topup', 'withdrawal'] as const)('a %s follows its own rules', async (kind) => {
    const { id, show } = await asked(api, client, kind, 'tok_visa');
    expect((await firstStep(id, api))?.status).toBe('processing');
    expect(await show()).toMatchObject({ status: 'processing' });
  });
});

describe('is left to the workflow', () => {
  /** The services, with each transaction that they begin. */
  function recording() {
    const transactions: Promise<unknown>[] = [];
    const { database } = world.api.services;
    const transaction: typeof database.transaction = (work) => {
      const done = database.transaction(work);
      transactions.push(done);
      done.catch(() => undefined);
      return done;
    };
    return { services: { ...world.api.services, database: { ...database, transaction } }, transactions };
  }

  it('when the party is away', async () => {
    const { id } = await created(world.client);
    world.double.faults.push('away');
    expect(await firstStep(id)).toBeUndefined();
    expect((await look(world, id)).status).toBe('awaiting_payment');
  });

  it('when the party hangs, after a short wait', async () => {
    const { id } = await created(world.client);
    const { checkout } = world.api.services.parties;
    let answer: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const createSession: typeof checkout.createSession = async (order) => {
      const session = await checkout.createSession(order);
      await hangs;
      return session;
    };
    world.api.services.parties.checkout = { ...checkout, createSession };
    const { services, transactions } = recording();
    expect(await createFirstStep(services)(commandOf(id), leased)).toBeUndefined();
    // The workflow gives the order meanwhile. The late answer changes nothing, because the workflow would not learn of it.
    world.api.services.parties.checkout = checkout;
    expect((await look(world, id)).status).toBe('awaiting_payment');
    pay(world.double.session(id), {}, true);
    const before = transactions.length;
    answer();
    await until(() => transactions.length > before);
    await expect(transactions[before]).rejects.toThrow('the step is the workflow’s now');
    expect((await look(world, id)).status).toBe('completed');
  });

  it('when the relay may have taken the command, although the party has answered', async () => {
    const { id } = await created(world.client);
    await firstStep(id);
    pay(world.double.session(id), {}, true);
    const step = createFirstStep(world.api.services);
    expect(await step({ ...commandOf(id), action: 'look' }, () => false)).toBeUndefined();
    const [row] = await world.api.database.query('select status from transfers where id = $1', [id]);
    expect(row).toEqual({ status: 'awaiting_payment' });
  });

  it('when the party’s circuit breaker is open', async () => {
    const { id } = await created(world.client);
    const gate = createPartyGate();
    const fails = () => Promise.reject(new PartyAway());
    for (let failure = 0; failure < 3; failure += 1)
      await gate.inPassing('checkout', fails).catch(() => undefined);
    expect(await createFirstStep(world.api.services, gate)(commandOf(id), leased)).toBeUndefined();
    expect(() => world.double.session(id)).toThrow();
  });

  it('and says by a gate of its own when the breaker of reports opens', async () => {
    const { id } = await created(world.client);
    const seen: unknown[] = [];
    const services = {
      ...world.api.services,
      observeBreaker: (...change: unknown[]) => void seen.push(change),
    };
    const { checkout } = services.parties;
    const away = { ...checkout, ask: () => Promise.reject(new PartyAway()) };
    const step = createFirstStep({ ...services, parties: { ...services.parties, checkout: away } });
    const command = commandOf(id);
    await firstStep(id);
    for (let turn = 0; turn < 3; turn += 1) await step({ ...command, action: 'look' }, leased);
    expect(seen).toEqual([['report_step', 'checkout', true]]);
  });

  it('when the workflow is not a transfer’s, but not when the record was lost', async () => {
    const command = {
      workflow: 'depositLifecycle',
      workflowId: `deposit-dep_${'0'.repeat(26)}`,
      taskQueue: 'processes',
    };
    const step = createFirstStep(world.api.services);
    expect(await step({ ...command, action: 'start', args: [] }, leased)).toMatchObject({ status: 'lost' });
    expect(
      await step({ ...command, workflowId: 'card-issuance-card_1', action: 'start', args: [] }, leased),
    ).toBeUndefined();
  });
});

describe('a callback that comes before the answer to the order', () => {
  const tell = (sessionId: string) =>
    world.api.database.transaction((tx) => receiveReport(world.api.services, tx, 'checkout', [sessionId]));
  const waiting = (sessionId: string) =>
    world.api.database.query('select 1 from workflow_commands where workflow_id = $1', [
      `checkout-payment-${sessionId}`,
    ]);
  const told = (sessionId: string) =>
    world.api.database.query('select 1 from reported_names where ref = $1', [sessionId]);

  /** Pays the session and calls back before the answer with the session arrives. */
  function paidAtOnce(reportOf: (sessionId: string) => Promise<unknown>): () => void {
    const { parties } = world.api.services;
    const { checkout } = parties;
    parties.checkout = {
      ...checkout,
      async createSession(order) {
        const made = await checkout.createSession(order);
        pay(world.double.session(order.depositId), {}, true);
        await reportOf(made.sessionId);
        return made;
      },
    };
    return () => {
      parties.checkout = checkout;
    };
  }

  it('takes effect in the same step, without a search', async () => {
    const { id } = await created(world.client);
    const restore = paidAtOnce(async (sessionId) => {
      expect(await tell(sessionId)).toBe(0);
      expect(await waiting(sessionId)).toHaveLength(1);
    });
    expect((await look(world, id).finally(restore)).status).toBe('completed');
    const { sessionId } = world.double.session(id);
    expect([await waiting(sessionId), await told(sessionId)]).toEqual([[], []]);
  });

  it('is never lost in a race with the answer', async () => {
    const deposits = await Promise.all(Array.from({ length: 24 }, () => created(world.client)));
    const tellings: Promise<unknown>[] = [];
    const restore = paidAtOnce(async (sessionId) => void tellings.push(tell(sessionId)));
    const first = await Promise.all(deposits.map(({ id }) => look(world, id))).finally(restore);
    await Promise.all(tellings);
    for (const [index, { id }] of deposits.entries()) {
      const { sessionId } = world.double.session(id);
      expect([await waiting(sessionId), await told(sessionId)]).toEqual([[], []]);
      const [row] = await world.api.database.query<{ due: boolean }>(
        'select due_by <= $2 as due from transfers where id = $1',
        [id, new Date(Date.now() + world.clock.ahead)],
      );
      // The step has the word, or another look is due.
      expect([first[index]?.status === 'completed', row?.due ?? false]).toContain(true);
    }
  });

  it('with an unknown session starts a search five seconds later', async () => {
    const sessionId = `cs_${randomUUID()}`;
    await tell(sessionId);
    const [row] = await world.api.database.query<{ seconds: number }>(
      `select extract(epoch from leased_until - created_at)::float8 as seconds from workflow_commands where workflow_id = $1`,
      [`checkout-payment-${sessionId}`],
    );
    expect(Math.round(row?.seconds ?? 0)).toBe(5);
    expect(await discover(world.api.services, 'checkout', sessionId)).toBe('open');
  });
});
