/** @long */
import { rm } from 'node:fs/promises';
import { temporal as proto } from '@temporalio/proto';
import { createCommands, HAND_OVER_SECONDS } from '../../../src/kernel/outbox/commands';
import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';
import { createHandOver, type FirstStep, type HandingOver } from '../../../src/kernel/temporal/hand-over';
import { relayOnce, startRelay } from '../../../src/kernel/temporal/relay';
import { DECLARED_SEARCH_ATTRIBUTES } from '../../../src/kernel/temporal/search-attributes';
import { temporalExecutable } from '../../../src/startup/embedded/temporal/binary';
import { type EmbeddedTemporal, startTemporal } from '../../../src/startup/embedded/temporal/server';
import { onServer, type TestDatabase, testDatabase } from '../../support/database';
import { testKeyring } from '../../support/keyring';
import { ownPort } from '../../support/own-port';
import { quietLog, temporaryFolder, toolContext } from '../../support/servers';
import { quiet } from '../../support/temporal';
import { until } from '../../support/until';
import { command, commit, endLeases, rows, runs } from './support';

let dataDir: string;
let port: number;
let server: EmbeddedTemporal | undefined;
let temporal: TemporalClient;
let test: TestDatabase;
let handOver: HandingOver;

async function startServer(): Promise<void> {
  server = await startTemporal({
    dataDir,
    executable: await temporalExecutable(toolContext()),
    searchAttributes: DECLARED_SEARCH_ATTRIBUTES,
    log: quietLog,
    port,
    uiPort: 0,
  });
}

async function stopServer(): Promise<void> {
  await server?.stop();
  server = undefined;
}

const commitAndHand = (ids: string[]) =>
  commit(
    test.database,
    ids.map((id) => command(id)),
    handOver,
  );

beforeAll(async () => {
  [dataDir, port] = [temporaryFolder(), await ownPort()];
  await startServer();
  const options = { address: `127.0.0.1:${port}`, namespace: 'default', encrypt: false };
  temporal = createTemporalClient(options, testKeyring(Buffer.alloc(32)));
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await stopServer();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  test = await testDatabase();
  handOver = createHandOver({ client: temporal.client, database: test.database, log: quiet });
});
afterEach(async () => {
  await handOver.stop();
  await test.drop();
});

it('starts a committed workflow at once and deletes the command', async () => {
  await commitAndHand(['first', 'second']);
  await until(async () => (await rows(test.database)).length === 0);
  expect(await Promise.all(['first', 'second'].map((id) => runs(temporal.client, id)))).toEqual([true, true]);
});

it('hands over no command of a transaction that is rolled back', async () => {
  const broken = test.database.transaction(async (tx) => {
    createCommands(handOver).append(tx, [command('undone')]);
    throw new Error('changed its mind');
  });
  await expect(broken).rejects.toThrow('changed its mind');
  await handOver.stop();
  expect(await runs(temporal.client, 'undone')).toBe(false);
});

it('leaves to the relay commands that do not fit, are refused, or come after its end', async () => {
  const small = createHandOver({
    client: temporal.client,
    database: test.database,
    log: quiet,
    queueSize: 4,
  });
  const ids = Array.from({ length: 10 }, (_, index) => `many-${index}`);
  await commit(test.database, [command('x'.repeat(2_000)), ...ids.map((id) => command(id))], small);
  await until(async () => (await rows(test.database)).length === 8);
  await small.stop();
  await commit(test.database, [command('too-late')], small);
  expect((await rows(test.database)).map((row) => row.attempts)).toEqual(Array(9).fill(0));
});

it('lets requests succeed while Temporal is away, and starts their workflows when it is back', async () => {
  await stopServer();
  expect(await temporal.isServing()).toBe(false);
  await commitAndHand(['while-away']);
  await handOver.stop();
  expect(await rows(test.database)).toHaveLength(1);
  await endLeases(test.database);
  const relay = startRelay({ client: temporal.client, database: test.database, log: quiet });
  // The call without an answer does not count as an attempt.
  await until(async () => {
    const [row] = await test.database.query<{ back: boolean }>(
      'select leased_until is null and due_at > created_at as back from workflow_commands',
    );
    return row?.back === true;
  });
  expect(await rows(test.database)).toMatchObject([{ attempts: 0 }]);
  await startServer();
  await until(async () => (await rows(test.database)).length === 0);
  await relay.stop();
  expect(await runs(temporal.client, 'while-away')).toBe(true);
  expect(await temporal.isServing()).toBe(true);
});

it('continues when the database is back', async () => {
  const name = new URL(test.url).pathname.slice(1);
  const relay = startRelay({ client: temporal.client, database: test.database, log: quiet });
  await onServer(`alter database ${name} allow_connections false`);
  await onServer(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
  await expect(test.database.query('select 1')).rejects.toThrow();
  await onServer(`alter database ${name} allow_connections true`);
  await commit(test.database, [command('database-was-away')]);
  await endLeases(test.database);
  await until(async () => (await rows(test.database)).length === 0);
  await relay.stop();
  expect(await runs(temporal.client, 'database-was-away')).toBe(true);
});

describe('with a first step by the committing process', () => {
  const HOUR_MS = 3_600_000;
  const handing = (firstStep: FirstStep, holdMs = 0) =>
    createHandOver({
      client: temporal.client,
      database: test.database,
      log: quiet,
      firstStep,
      holdMs,
      deskUrl: 'https://desk.example',
    });
  const rests: FirstStep = async () => ({
    status: 'processing',
    until: new Date(Date.now() + HOUR_MS),
    waitsFor: 'Waits for the settlement.',
  });
  const look = (id: string) => command(id, { action: 'look' });

  /** Events of its history: `STARTED`, `SIGNALED`, `TASK_SCHEDULED`. */
  async function history(id: string): Promise<string[]> {
    const { events } = await temporal.client.workflow.getHandle(id).fetchHistory();
    return (events ?? []).map(({ eventType }) =>
      String(proto.api.enums.v1.EventType[eventType ?? 0]).replace(/EVENT_TYPE_|WORKFLOW_|EXECUTION_/g, ''),
    );
  }

  it('starts the workflow asleep until it is signalled to look', async () => {
    const asleep = handing(rests);
    await commit(test.database, [command('sleeper')], asleep);
    await until(async () => (await rows(test.database)).length === 0);
    expect(await history('sleeper')).toEqual(['STARTED']);
    const { typedSearchAttributes } = await temporal.client.workflow.getHandle('sleeper').describe();
    expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContain('processing');
    await commit(test.database, [look('sleeper')], asleep);
    await until(async () => (await rows(test.database)).length === 0);
    expect(await history('sleeper')).toEqual(['STARTED', 'SIGNALED', 'TASK_SCHEDULED']);
    await asleep.stop();
  });

  it('says what a sleeping workflow waits for, and where its record is', async () => {
    const asleep = handing(rests);
    const id = 'deposit-dep_01h455vb4pex5vsknk084sn02q';
    await commit(test.database, [command(id)], asleep);
    await until(async () => (await rows(test.database)).length === 0);
    const { staticDetails, memo } = await temporal.client.workflow.getHandle(id).describe();
    const [status, sleeps, record] = (await staticDetails())?.split('\n\n') ?? [];
    expect(status).toBe('When it started: **processing**. Waits for the settlement.');
    expect(sleeps).toMatch(/^It sleeps until 20\d\d-\S+Z, or until a signal\.$/);
    expect(record).toBe('Record: https://desk.example/records/dep_01h455vb4pex5vsknk084sn02q');
    expect(memo).toEqual({ record: 'https://desk.example/records/dep_01h455vb4pex5vsknk084sn02q' });
    await asleep.stop();
  });

  it('starts it asleep until the time that the step named', async () => {
    const soon = handing(async () => ({ status: 'processing', until: new Date(Date.now() + 1_500) }));
    await commit(test.database, [command('napper')], soon);
    await until(async () => (await rows(test.database)).length === 0);
    await until(async () => (await history('napper')).includes('TASK_SCHEDULED'));
    await soon.stop();
  });

  const ENDED: FirstStep = async () => ({ status: 'completed', waitsFor: 'Nothing is left to wait for.' });

  /** The arguments of its start. */
  async function argumentsOf(id: string): Promise<unknown[]> {
    const { events } = await temporal.client.workflow.getHandle(id).fetchHistory();
    const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    return (input?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));
  }

  /** Rests at the first step, and has the given outcome at the next ones. */
  function thenOf(outcome: FirstStep): { step: FirstStep; taken: string[] } {
    const taken: string[] = [];
    const step: FirstStep = (given, isLeased) => {
      taken.push(given.action);
      return taken.length === 1 ? rests(given, isLeased) : outcome(given, isLeased);
    };
    return { step, taken };
  }

  it('tells the workflow of a record that has ended, so that it takes no step', async () => {
    const quick = handing(ENDED);
    await commit(test.database, [command('ended')], quick);
    await until(async () => (await rows(test.database)).length === 0);
    expect(await history('ended')).toEqual(['STARTED', 'TASK_SCHEDULED']);
    expect(await argumentsOf('ended')).toEqual([{ id: 'ended' }, 'completed']);
    const description = await temporal.client.workflow.getHandle('ended').describe();
    expect(description.typedSearchAttributes.getAll().map(({ value }) => value)).toContain('completed');
    expect(await description.staticDetails()).toMatch(
      /^When it started: \*\*completed\*\*\. Nothing is left to wait for\.\n\nThe process that took/,
    );
    await quick.stop();
  });

  it('takes the next steps while the start is held, and starts the workflow once', async () => {
    const { step, taken } = thenOf(ENDED);
    const holding = handing(step, 60_000);
    await commit(test.database, [command('held')], holding);
    await until(async () => taken.length === 1);
    await commit(test.database, [look('held')], holding);
    await until(async () => (await rows(test.database)).length === 0);
    expect(taken).toEqual(['start', 'look']);
    expect(await history('held')).toEqual(['STARTED', 'TASK_SCHEDULED']);
    expect(await argumentsOf('held')).toEqual([{ id: 'held' }, 'completed']);
    await holding.stop();
  });

  it('starts a held workflow asleep when the next step leaves something to wait for', async () => {
    const { step, taken } = thenOf(rests);
    const holding = handing(step, 1_000);
    await commit(test.database, [command('waiting')], holding);
    await until(async () => taken.length === 1);
    await commit(test.database, [look('waiting')], holding);
    await until(async () => taken.length === 2);
    expect(await runs(temporal.client, 'waiting')).toBe(false);
    await until(async () => (await rows(test.database)).length === 0);
    expect(await history('waiting')).toEqual(['STARTED']);
    await holding.stop();
  });

  it('starts a held workflow awake when the next step fails', async () => {
    const { step, taken } = thenOf(async () => undefined);
    const holding = handing(step, 60_000);
    await commit(test.database, [command('failing')], holding);
    await until(async () => taken.length === 1);
    await commit(test.database, [look('failing')], holding);
    await until(async () => (await rows(test.database)).length === 0);
    expect(await history('failing')).toEqual(['STARTED', 'TASK_SCHEDULED']);
    expect(await argumentsOf('failing')).toEqual([{ id: 'failing' }]);
    await holding.stop();
  });

  it('sends held starts when the process stops', async () => {
    const { step, taken } = thenOf(rests);
    const holding = handing(step, 60_000);
    await commit(test.database, [command('stopped')], holding);
    await until(async () => taken.length === 1);
    expect(await rows(test.database)).toMatchObject([{ workflow_id: 'stopped' }]);
    await holding.stop();
    expect(await history('stopped')).toEqual(['STARTED']);
    expect(await rows(test.database)).toEqual([]);
  });

  it('starts no second run after another process has led the record to its end', async () => {
    const { step, taken } = thenOf(rests);
    const holding = handing(step, 60_000);
    await commit(test.database, [command('elsewhere')], holding);
    await until(async () => taken.length === 1);
    await commit(test.database, [look('elsewhere')], handOver);
    await until(async () => (await rows(test.database)).length === 1);
    await temporal.client.workflow.getHandle('elsewhere').terminate();
    await holding.stop();
    expect(await rows(test.database)).toEqual([]);
    expect(await runs(temporal.client, 'elsewhere')).toBe(false);
  });

  it.each([
    ['ends the record', ENDED],
    ['leaves something to wait for', rests],
    ['fails', async () => undefined],
  ] satisfies [string, FirstStep][])(
    'tells a workflow that another process has started meanwhile, when a step %s',
    async (outcome, second) => {
      const id = `started-elsewhere-${outcome.split(' ')[0]}`;
      const { step, taken } = thenOf(second);
      const holding = handing(step, 60_000);
      await commit(test.database, [command(id)], holding);
      await until(async () => taken.length === 1);
      // A relay sends the start when this process is frozen for longer than its lease.
      await endLeases(test.database);
      await relayOnce({ client: temporal.client, database: test.database, log: quiet });
      expect(await history(id)).toEqual(['STARTED', 'TASK_SCHEDULED']);
      await commit(test.database, [look(id)], holding);
      await until(async () => taken.length === 2);
      await holding.stop();
      expect(await rows(test.database)).toEqual([]);
      expect(await history(id)).toEqual(['STARTED', 'TASK_SCHEDULED', 'SIGNALED']);
    },
  );

  it('delivers signals that come during the step after the start', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = handing(async (...given) => {
      await ended;
      return rests(...given);
    });
    await commit(test.database, [command('slow')], slow);
    await commit(test.database, [look('slow'), command('another', { action: 'look' })], slow);
    await until(async () => (await rows(test.database)).length === 2);
    expect([await runs(temporal.client, 'slow'), await runs(temporal.client, 'another')]).toEqual([
      false,
      true,
    ]);
    end();
    await until(async () => (await rows(test.database)).length === 0);
    await slow.stop();
    // The look is answered by a step of this process or of the workflow.
    expect((await history('slow')).slice(0, 1)).toEqual(['STARTED']);
  });

  it('lets a step commit nothing once the relay may have its command', async () => {
    const leases: (() => boolean)[] = [];
    const handed = handing((given, isLeased) => {
      leases.push(isLeased);
      return ENDED(given, isLeased);
    });
    await commit(test.database, [command('frozen')], handed);
    await until(async () => (await rows(test.database)).length === 0);
    expect(leases.map((isLeased) => isLeased())).toEqual([true]);
    const at = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => at + HAND_OVER_SECONDS * 1_000);
    expect(leases.map((isLeased) => isLeased())).toEqual([false]);
    clock.mockRestore();
    await handed.stop();
  });

  it('starts it awake when the process dies while the start is held', async () => {
    const { step, taken } = thenOf(rests);
    const dying = handing(step, 60_000);
    await commit(test.database, [command('held-orphan')], dying);
    await until(async () => taken.length === 1);
    await commit(test.database, [look('held-orphan')], dying);
    await until(async () => taken.length === 2);
    await endLeases(test.database);
    await relayOnce({ client: temporal.client, database: test.database, log: quiet });
    expect(await rows(test.database)).toEqual([]);
    const events = await history('held-orphan');
    expect([events[0], ...events.slice(1).sort()]).toEqual(['STARTED', 'SIGNALED', 'TASK_SCHEDULED']);
    await dying.stop();
  });

  it('starts it awake when the process dies after the step', async () => {
    let taken = false;
    const dying = handing(() => {
      taken = true;
      return new Promise(() => undefined);
    });
    await commit(test.database, [command('orphan')], dying);
    await until(async () => taken);
    await endLeases(test.database);
    await relayOnce({ client: temporal.client, database: test.database, log: quiet });
    expect(await history('orphan')).toEqual(['STARTED', 'TASK_SCHEDULED']);
  });
});

describe('a command for later', () => {
  it('is sent by the relay when its time has come', async () => {
    await commit(test.database, [command('later', { afterSeconds: 60 })], handOver);
    const relayed = () => relayOnce({ client: temporal.client, database: test.database, log: quiet });
    expect(await relayed()).toBe('idle');
    await endLeases(test.database);
    expect(await relayed()).toBe('busy');
    expect(await runs(temporal.client, 'later')).toBe(true);
  });

  it('can be withdrawn until then', async () => {
    await commit(test.database, [command('needless', { afterSeconds: 60 }), command('needed')], handOver);
    await test.database.transaction((tx) => createCommands().withdraw(tx, 'needless'));
    await until(async () => (await rows(test.database)).length === 0);
    expect(await runs(temporal.client, 'needless')).toBe(false);
  });
});
