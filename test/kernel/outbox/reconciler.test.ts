/** @long @isolated replaces functions of modules. */
import type { WorkflowCommand } from '../../../src/kernel/outbox/commands';
import { createCommands } from '../../../src/kernel/outbox/commands';
import { createReconciler, type Reconcilable } from '../../../src/kernel/temporal/reconciler';
import { relayOnce } from '../../../src/kernel/temporal/relay';
import { describeSchedule } from '../../../src/kernel/temporal/schedules';
import { type TestDatabase, testDatabase } from '../../support/database';
import { quiet, type RealTemporal, realTemporal } from '../../support/temporal';
import { until } from '../../support/until';
import { command, commit, endLeases, nobody, rows, runs } from './support';

const MINUTE = 60_000;

let temporal: RealTemporal;
let test: TestDatabase;
let time: number;

beforeAll(async () => {
  temporal = await realTemporal();
}, 1_200_000);
afterAll(() => temporal.close());
beforeEach(async () => {
  test = await testDatabase();
  time = Date.parse('2030-01-01T00:00:00Z');
});
afterEach(() => test.drop());

function reconciler(reconcilables: Reconcilable[]) {
  return createReconciler({
    client: temporal.client,
    database: test.database,
    commands: createCommands(nobody),
    reconcilables,
    log: quiet,
    now: () => time,
  });
}

/** A domain with these overdue records. */
function still(
  commands: WorkflowCommand[],
  seen: { olderThan?: Date; except?: string[] } = {},
): Reconcilable {
  return {
    name: 'still',
    stale: async (_sql, olderThan, limit, except) => {
      Object.assign(seen, { olderThan, except });
      return commands.slice(0, limit);
    },
  };
}

const waiting = async () => (await rows(test.database)).map((row) => row.workflow_id);

it('restarts a record that has not moved for five minutes, and again five minutes later', async () => {
  const seen: { olderThan?: Date; except?: string[] } = {};
  const reconcile = reconciler([still([command('stands-still')], seen)]);
  await reconcile();
  expect(seen.olderThan).toEqual(new Date(time - 5 * MINUTE));
  expect(await waiting()).toEqual(['stands-still']);
  await endLeases(test.database);
  await relayOnce({ client: temporal.client, database: test.database, log: quiet });
  expect(await runs(temporal.client, 'stands-still')).toBe(true);

  time += MINUTE;
  await reconcile();
  expect(seen.except).toEqual(['stands-still']);
  expect(await waiting()).toEqual([]);
  time += 4 * MINUTE;
  await reconcile();
  expect(await waiting()).toEqual(['stands-still']);
});

it('adds no command when one waits for the same workflow, parked ones included', async () => {
  await commit(test.database, [command('waits-already'), command('parked')]);
  await test.database.query(`update workflow_commands set parked_at = now() where workflow_id = 'parked'`);
  await reconciler([still([command('waits-already'), command('parked'), command('forgotten')])])();
  expect(await waiting()).toEqual(['waits-already', 'parked', 'forgotten']);
});

it('continues when one of the domains cannot be read', async () => {
  const broken: Reconcilable = { name: 'broken', stale: (sql) => sql.query('select 1 from nowhere') };
  await reconciler([broken, still([command('of-the-other')])])();
  expect(await waiting()).toEqual(['of-the-other']);
});

it('leaves the round to another process that holds the lock', async () => {
  await test.database.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(7204120)');
    await reconciler([still([command('of-another-round')])])();
  });
  expect(await waiting()).toEqual([]);
});

it('restores schedules, dispatchers and search attributes that Temporal has lost', async () => {
  const reconcile = reconciler([]);
  const dispatcher = temporal.client.workflow.getHandle('webhook-dispatcher-15');
  const schedules = ['authorization-expiry', 'housekeeping'].map((id) =>
    temporal.client.schedule.getHandle(id),
  );
  await reconcile();
  const { runId, type, taskQueue } = await dispatcher.describe();
  expect({ type, taskQueue }).toEqual({ type: 'webhookDispatcher', taskQueue: 'webhooks' });
  await reconcile();
  expect((await dispatcher.describe()).runId).toBe(runId);

  await dispatcher.terminate();
  await Promise.all(schedules.map((schedule) => schedule.delete()));
  await reconcile();
  expect((await dispatcher.describe()).status.name).toBe('RUNNING');
  const [expiry, housekeeping] = await Promise.all(
    schedules.map(({ scheduleId }) => describeSchedule(temporal.client, scheduleId)),
  );
  expect(expiry?.action).toMatchObject({ workflowType: 'authorizationExpiry', taskQueue: 'processes' });
  expect(expiry?.spec.intervals).toMatchObject([{ every: 60 * MINUTE }]);
  expect(housekeeping?.spec.intervals).toMatchObject([{ every: 60 * MINUTE }]);
});

describe('a schedule that differs from its definition', () => {
  const housekeeping = () => temporal.client.schedule.getHandle('housekeeping');
  const isShown = async (wanted: { every: number; paused?: boolean }) => {
    const shown = await housekeeping()
      .describe()
      .catch(() => undefined);
    return (
      shown?.spec.intervals?.[0]?.every === wanted.every && shown.state.paused === (wanted.paused ?? false)
    );
  };
  /**
   * Acts and waits until Temporal shows the change, because it applies an update a moment after its answer. Acts again
   * after many vain checks, because a busy Temporal may refuse or drop an update.
   */
  async function shownAfter(act: () => Promise<unknown>, wanted: { every: number; paused?: boolean }) {
    let looks = 0;
    await until(async () => {
      if (looks % 500 === 0) await act().catch(() => undefined); // Temporal may be too busy to answer
      looks += 1;
      return isShown(wanted);
    });
  }
  const RENEWED = { every: 60 * MINUTE };
  const EARLIER = { every: 9 * MINUTE };
  function outdate(): Promise<void> {
    const update = () =>
      housekeeping().update(({ action, state }) => ({ action, spec: { intervals: [EARLIER] }, state }));
    return shownAfter(update, EARLIER);
  }
  async function isRenewedBy(reconcile: () => Promise<void>): Promise<boolean> {
    await outdate();
    await reconcile();
    for (let looks = 0; looks < 500; looks += 1) if (await isShown(RENEWED)) return true;
    return false;
  }
  beforeEach(() => reconciler([])());

  it('is updated, and stays paused when the operator has paused it', async () => {
    await outdate();
    await shownAfter(() => housekeeping().pause('not now'), { ...EARLIER, paused: true });
    await shownAfter(reconciler([]), { ...RENEWED, paused: true });
    expect((await housekeeping().describe()).state.note).toBe('not now');
    await shownAfter(() => housekeeping().unpause('go on'), RENEWED);
  });

  it('is updated again when another process interfered, until it matches', async () => {
    let reconcile = reconciler([]);
    // A further round of the same reconciler would end its renewals, so a busy Temporal gets a fresh one.
    await until(async () => {
      reconcile = reconciler([]);
      return (await isRenewedBy(reconcile)) && (await isRenewedBy(reconcile));
    });
    // After all schedules matched, a change is the operator’s. A round that a busy Temporal refuses does not count.
    await until(async () => {
      await reconcile();
      await outdate();
      const updates = jest.spyOn(temporal.client.workflowService, 'updateSchedule');
      await reconcile();
      const isRenewed = updates.mock.calls.length > 0;
      updates.mockRestore();
      if (isRenewed) await until(() => isShown(RENEWED));
      return !isRenewed;
    });
  });
});
