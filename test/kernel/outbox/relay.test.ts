/** @long */
import { createCommands } from '../../../src/kernel/outbox/commands';
import {
  countCommands,
  leaseDue,
  listParked,
  retryParked,
} from '../../../src/kernel/outbox/waiting-commands';
import { relayOnce, startRelay } from '../../../src/kernel/temporal/relay';
import { type TestDatabase, testDatabase } from '../../support/database';
import { quiet, type RealTemporal, realTemporal } from '../../support/temporal';
import { until } from '../../support/until';
import { command, commit, endLeases, nobody, rows, runs } from './support';

let temporal: RealTemporal;
let test: TestDatabase;

beforeAll(async () => {
  temporal = await realTemporal();
}, 1_200_000);
afterAll(() => temporal.close());
beforeEach(async () => {
  test = await testDatabase();
});
afterEach(() => test.drop());

const options = () => ({ client: temporal.client, database: test.database, log: quiet });

async function commitDue(commands: Parameters<typeof commit>[1]) {
  await commit(test.database, commands);
  await endLeases(test.database);
}

it('leaves a command to the committing process until its lease ends', async () => {
  await commit(test.database, [command('leased')]);
  expect(await relayOnce(options())).toBe('idle');
  await endLeases(test.database);
  expect(await relayOnce(options())).toBe('busy');
  expect(await rows(test.database)).toEqual([]);
  expect(await runs(temporal.client, 'leased')).toBe(true);
});

it('takes commands of a killed relay after their lease and not before', async () => {
  await commitDue([command('of-a-dead-relay')]);
  expect(await leaseDue(test.database, 10, 3_600)).toHaveLength(1);
  expect(await relayOnce(options())).toBe('idle');
  await endLeases(test.database);
  await relayOnce(options());
  expect(await runs(temporal.client, 'of-a-dead-relay')).toBe(true);
});

it('never loses a command whose transaction commits after a later one', async () => {
  let commitFirst = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    commitFirst = resolve;
  });
  const first = test.database.transaction(async (tx) => {
    createCommands(nobody).append(tx, [command('numbered-first')]);
    await held;
  });
  await until(
    async () =>
      (
        await test.database.query(`select 1 from pg_stat_activity where wait_event = 'ClientRead'
    and state = 'idle in transaction' and datname = current_database()`)
      ).length > 0,
  );
  await commitDue([command('numbered-second')]);
  await relayOnce(options());
  commitFirst();
  await first;
  await endLeases(test.database);
  await relayOnce(options());
  expect(await runs(temporal.client, 'numbered-first')).toBe(true);
});

it('takes a command at once from a process without a connection to Temporal', async () => {
  await test.database.transaction(async (tx) =>
    createCommands().append(tx, [command('of-the-command-line')]),
  );
  await relayOnce(options());
  expect(await runs(temporal.client, 'of-the-command-line')).toBe(true);
});

it('sends each command exactly once with several relays at work', async () => {
  const ids = Array.from({ length: 240 }, (_, index) => `shared-${index}`);
  await commitDue(ids.map((id) => command(id, { action: 'look' })));
  const relays = [1, 2, 3].map(() => startRelay(options()));
  await until(async () => (await rows(test.database)).length === 0);
  await Promise.all(relays.map((relay) => relay.stop()));
  const lengths = await Promise.all(
    ids.map(async (id) => (await temporal.client.workflow.getHandle(id).describe()).historyLength),
  );
  // Started, signalled once, first task scheduled.
  expect(new Set(lengths)).toEqual(new Set([3]));
});

it('sends one signal for many waiting looks', async () => {
  await commitDue(Array.from({ length: 30 }, () => command('often-changed', { action: 'look' })));
  await relayOnce(options());
  expect(await rows(test.database)).toEqual([]);
  const { historyLength } = await temporal.client.workflow.getHandle('often-changed').describe();
  expect(historyLength).toBe(3);
});

it('starts nothing while a workflow runs, and starts it again after its end', async () => {
  const handle = temporal.client.workflow.getHandle('looked-at');
  const look = async (action: 'look' | 'start') => {
    await commitDue([command('looked-at', { action })]);
    await relayOnce(options());
    return (await handle.describe()).runId;
  };
  const first = await look('start');
  expect(await look('start')).toBe(first);
  expect(await look('look')).toBe(first);
  await handle.terminate();
  const second = await look('look');
  expect(second).not.toBe(first);
  await handle.terminate();
  expect(await look('start')).not.toBe(second);
});

it('shows a workflow by tenant, kind of record and summary', async () => {
  const card = 'card-issuance-card_01h455vb4pex5vsknk084sn02q';
  await commitDue([command(card, { tenantId: 'cli_01h455vb4pex5vsknk084sn02q', summary: 'Card issuance' })]);
  await relayOnce(options());
  const { searchAttributes } = await temporal.client.workflow.getHandle(card).describe();
  expect(searchAttributes).toMatchObject({
    Tenant: ['cli_01h455vb4pex5vsknk084sn02q'],
    RecordKind: ['card'],
  });
});

it('parks a command that Temporal refuses twenty times, and lets all others pass', async () => {
  await commitDue([command('x'.repeat(2_000)), command('well-formed')]);
  const patient = { ...options(), retryInMs: () => 0 };
  // A pass without an answer in time is not a refusal.
  const refused = async (attempts: number) => {
    await relayOnce(patient);
    return (await rows(test.database))[0]?.['attempts'] === attempts;
  };
  for (let attempt = 1; attempt <= 19; attempt += 1) await until(() => refused(attempt));
  expect(await rows(test.database)).toHaveLength(1);
  expect(await runs(temporal.client, 'well-formed')).toBe(true);
  expect(await listParked(test.database, { limit: 100 })).toEqual([]);
  await relayOnce(patient);
  const [parked] = await listParked(test.database, { limit: 100 });
  expect(parked).toMatchObject({
    workflow: 'waits',
    attempts: 20,
    lastError: expect.stringMatching(/^INVALID_ARGUMENT/) as string,
  });
  expect(await relayOnce(patient)).toBe('idle');
  expect(await countCommands(test.database)).toMatchObject({ due: 0, parked: 1 });
  expect(await retryParked(test.database, ['0'])).toBe(0);
  expect(await retryParked(test.database)).toBe(1);
  expect(await countCommands(test.database)).toMatchObject({ due: 1, parked: 0 });
  expect(await relayOnce(patient)).toBe('busy');
  expect(await rows(test.database)).toMatchObject([{ attempts: 1 }]);
});

it('waits longer after each refusal', async () => {
  await commitDue([command('x'.repeat(2_000))]);
  const waits: { sinceBefore: number; sinceAfter: number }[] = [];
  const now = async () =>
    (await test.database.query<{ at: string }>('select clock_timestamp()::text as at'))[0]?.at;
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    let before: string | undefined;
    // A pass without an answer in time is not a refusal.
    await until(async () => {
      before = await now();
      await relayOnce(options());
      return (await rows(test.database))[0]?.['attempts'] === attempt;
    });
    const [row] = await test.database.query<{ since_before: string; since_after: string }>(
      `select extract(epoch from due_at - $1::timestamptz) * 1000 as since_before,
              extract(epoch from due_at - clock_timestamp()) * 1000 as since_after from workflow_commands`,
      [before],
    );
    waits.push({ sinceBefore: Number(row?.since_before), sinceAfter: Number(row?.since_after) });
    await test.database.query('update workflow_commands set due_at = clock_timestamp()');
  }
  expect(waits[3]?.sinceBefore).toBeGreaterThan(2_000);
  expect(waits[0]?.sinceAfter).toBeLessThan(1_000);
});
