/** @long */
import type { Client as TemporalClient } from '@temporalio/client';
import { createBankingActivities } from '../../activities/banking';
import { createTransferActivities } from '../../activities/transfers';
import { checkLedger } from '../../src/kernel/ledger/check';
import { LOOK } from '../../src/kernel/temporal/signals';
import { createHttpExternalCards } from '../../src/parties/external-cards/http';
import type { ExternalCards } from '../../src/parties/external-cards/port';
import { partyPath, partySecret } from '../../src/parties/sandbox/mount';
import type { SandboxParty } from '../../src/parties/sandbox/options';
import type { Client, TestApi } from '../support/api';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../support/temporal';
import { type Fault, type FaultyProxy, faultyProxy } from '../transfers/external-cards/faulty-proxy';
import { asked, balanceOf, breaksOf, type Clock, foldOf, onClock } from '../transfers/external-cards/support';
import { credited, enabled, ibanBalance } from '../transfers/iban/support';

let api: TestApi & { clock: Clock };
let client: Client;
let temporal: TimeSkipping;
let proxy: FaultyProxy;
let runner: TemporalClient;
/** The attempts of all steps since the test began, and a hook that runs after each attempt. */
let attempts: string[];
let after: (attempt: number) => void;
/** Whether the product's clock follows the workflows' clock. */
let clockFollows: boolean;

/** The activities. All parties use the workflows' clock. */
const watchedActivities = () =>
  watchedSteps(
    { ...createTransferActivities(api.services), ...createBankingActivities(api.services) },
    {
      async begins(name) {
        // The server's clock, because a local activity has the machine's time.
        if (clockFollows) api.clock.at = new Date(await temporal.env.currentTimeMs());
        return attempts.push(name);
      },
      ended: (attempt) => after(attempt),
    },
  );

beforeAll(async () => {
  [api, temporal] = await Promise.all([onClock(), timeSkipping()]);
  proxy = await faultyProxy(api.url);
  client = await api.client();
  const reach = (party: SandboxParty) => ({
    baseUrl: proxy.url + partyPath(party),
    secret: partySecret(api.services.keyring, party),
    timeoutMs: 5_000,
    now: () => api.clock.at,
  });
  // Without a list of changes the product asks the acquirer at growing intervals.
  const { changes: _, ...acquirer } = createHttpExternalCards(reach('external-cards'));
  api.services.parties.externalCards = acquirer as ExternalCards;
  await temporal.keepWorkers(watchedActivities());
  runner = temporal.client;
}, 600_000);
beforeEach(async () => {
  attempts = [];
  after = () => undefined;
  clockFollows = true;
  proxy.faults.length = 0;
  client = await api.client();
  // The server's clock skips time after each workflow, and a new record must not be overdue at its start.
  api.clock.at = new Date(await temporal.env.currentTimeMs());
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(async () => {
  await temporal.close();
  await Promise.all([api.close(), proxy.close()]);
});

/** Runs the workflow of the last command for the record, as the relay does, until its end. */
async function run(id: string): Promise<string> {
  const { workflow, workflowId, taskQueue, args } = commandOf(id);
  return runner.workflow.execute(workflow, { workflowId, taskQueue, args });
}

function commandOf(id: string) {
  const command = api.commands.findLast((each) => each.args[0] === id);
  if (!command) throw new Error(`nothing was asked for ${id}`);
  return command;
}

const historyOf = async (id: string) =>
  (await runner.workflow.getHandle(commandOf(id).workflowId).fetchHistory()).events ?? [];

/** In the first attempts, the worker dies after the step's work and before it reports the result. */
const dieUntil = (deaths: number) => (attempt: number) => {
  if (attempt <= deaths) throw new Error('the worker dies');
};

describe('the workflow of an external card', () => {
  it.each([
    ['topup', 'tok_visa', 'completed', '598.20'],
    ['topup', 'tok_slow_declined', 'failed', '500.00'],
    ['topup', 'tok_unreachable', 'completed', '598.20'],
    ['topup', 'tok_3ds', 'failed', '500.00'],
    ['withdrawal', 'tok_visa', 'completed', '398.50'],
    ['withdrawal', 'tok_slow_declined', 'returned', '498.50'],
    ['withdrawal', 'tok_unreachable', 'completed', '398.50'],
  ] as const)('%s with %s ends as %s', async (kind, token, status, balance) => {
    const { id, accountId, show } = await asked(api, client, kind, token);
    expect(await run(id)).toBe(status);
    expect((await show()).status).toBe(status);
    expect(await balanceOf(client, accountId)).toBe(`${balance} 0.00`);
    expect(await foldOf(api, accountId)).toBe(balance);
    if (token === 'tok_visa') expect((await historyOf(id)).length).toBeLessThanOrEqual(25);
  });

  const FAULTS: Fault[][] = [
    ['dropped', 'dropped'],
    ['lost', 'lost'],
    ['error', 'unavailable'],
    ['slow', 'lost', 'error'],
    ['none', 'error', 'lost'],
  ];
  it.each(FAULTS.flatMap((faults) => [['topup', faults] as const, ['withdrawal', faults] as const]))(
    '%s is executed once although its requests meet the faults %j',
    async (kind, faults) => {
      const { id, accountId } = await asked(api, client, kind, 'tok_mute');
      proxy.faults.push(...faults);
      expect(await run(id)).toBe('completed');
      expect(proxy.faults).toEqual([]);
      expect(await balanceOf(client, accountId)).toBe(kind === 'topup' ? '598.20 0.00' : '398.50 0.00');
      expect(await foldOf(api, accountId)).toBe(kind === 'topup' ? '598.20' : '398.50');
      expect(await breaksOf(api, id)).toEqual([]);
    },
  );

  it.each(['topup', 'withdrawal'] as const)(
    '%s is booked once although the worker dies between steps',
    async (kind) => {
      const { id, accountId } = await asked(api, client, kind, 'tok_slow');
      after = dieUntil(4);
      expect(await run(id)).toBe('completed');
      expect(await foldOf(api, accountId)).toBe(kind === 'topup' ? '598.20' : '398.50');
    },
  );

  it('looks once after a late callback, and books the chargeback', async () => {
    const { id, accountId } = await asked(api, client, 'topup', 'tok_chargeback');
    await run(id);
    await temporal.env.sleep('10 seconds');
    attempts = [];
    const { workflow, workflowId, taskQueue, args } = commandOf(id);
    const begun = await runner.workflow.signalWithStart(workflow, {
      workflowId,
      taskQueue,
      args,
      signal: LOOK,
    });
    expect(await begun.result()).toBe('returned');
    expect(attempts.length).toBeLessThanOrEqual(2);
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
  });

  it('looks at once after a signal', async () => {
    const { id, show } = await asked(api, client, 'topup', 'tok_3ds');
    const { workflow, workflowId, taskQueue, args } = commandOf(id);
    const handle = await runner.workflow.start(workflow, { workflowId, taskQueue, args });
    while ((await show()).status !== 'requires_action')
      await new Promise((resolve) => setTimeout(resolve, 20));
    const [page] = await api.database.query<{ page: string }>(
      'select page from sandbox_orders where key = $1',
      [id],
    );
    await fetch(`${api.url}${partyPath('external-cards')}/pages/${page?.page}`, {
      method: 'POST',
      body: new URLSearchParams({ decision: 'confirm' }),
      redirect: 'manual',
    });
    await handle.signal(LOOK);
    expect(await handle.result()).toBe('completed');
  });

  it('has no token and no URL in its history', async () => {
    const { id } = await asked(api, client, 'topup', 'tok_3ds', { returnUrl: 'https://example.com/back' });
    await run(id);
    const text = JSON.stringify(await historyOf(id), (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    expect(text).not.toMatch(/tok_|example\.com|pages/);
  });
});

describe('a credit of a virtual IBAN', () => {
  const follow = (bankId: string) =>
    runner.workflow.execute('ibanCredit', {
      workflowId: `iban-credit-${bankId}`,
      taskQueue: 'processes',
      args: [bankId],
    });

  it.each([
    ['credited', 0],
    ['credited once although the worker dies between steps', 3],
  ])('is %s', async (_, deaths) => {
    const { iban } = await enabled(api, client);
    const paid = { iban, amount: '25.00', mute: true };
    const { id: bankId } = (await client.call('POST', '/sandbox/iban-credits', paid)).body;
    after = dieUntil(deaths);
    expect(await follow(bankId)).toBe('credited');
    expect(await ibanBalance(client)).toBe('25.00 0.00');
    if (deaths > 0) expect(attempts.length).toBeGreaterThan(deaths);
  });

  it('ends as unknown when the bank does not know it', async () => {
    expect(await follow('sbp-none')).toBe('unknown');
  });
});

describe('the monthly fee', () => {
  /** @returns the start of the run, because the server's clock skips time after its end */
  async function runFees(workflowId: string): Promise<Date> {
    await runner.workflow.execute('ibanMonthlyFees', { workflowId, taskQueue: 'processes', args: [] });
    return (await runner.workflow.getHandle(workflowId).describe()).startTime;
  }

  it('is taken once for every month that has ended, after months without a run', async () => {
    const { id } = await enabled(api, client);
    const from = api.clock.at;
    await credited(api, id, '100000.00');
    await temporal.env.sleep('100 days');
    after = dieUntil(2);
    const at = await runFees('fees-1');
    const months = (at.getUTCFullYear() - from.getUTCFullYear()) * 12 + at.getUTCMonth() - from.getUTCMonth();
    expect(months).toBeGreaterThanOrEqual(3);
    const [taken] = await api.database.query(
      `select count(*)::int as fees, count(distinct month)::int as months from virtual_iban_fees
        where virtual_iban_id = $1 and status = 'paid'`,
      [id],
    );
    expect(taken).toEqual({ fees: months, months });
    expect(await ibanBalance(client)).toBe(`${(100_000 - months * 10).toFixed(2)} 0.00`);
  });

  it('is not taken for a month that has ended only by the workflow’s clock', async () => {
    const { id } = await enabled(api, client);
    await credited(api, id, '100.00');
    clockFollows = false;
    await temporal.env.sleep('100 days');
    await runFees('fees-ahead');
    const fees = await api.database.query('select from virtual_iban_fees where virtual_iban_id = $1', [id]);
    expect(fees).toEqual([]);
    expect(await ibanBalance(client)).toBe('100.00 0.00');
  });
});
