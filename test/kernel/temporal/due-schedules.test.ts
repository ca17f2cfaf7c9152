/** @long */
import type { Sign } from '../../../src/kernel/db/lookout';
import { startDueSchedules } from '../../../src/kernel/temporal/due-schedules';
import { describeSchedule, ensureSchedules, SCHEDULES } from '../../../src/kernel/temporal/schedules';
import { type TestDatabase, testDatabase } from '../../support/database';
import { quiet, type RealTemporal, realTemporal } from '../../support/temporal';
import { until } from '../../support/until';

/** A schedule with a sign runs when there is something to do, and only then. */

const EXPIRY = SCHEDULES.filter(({ id }) => id === 'authorization-expiry');
/** The test says when something is due: while an order of this party is stored. */
const SIGN: Sign = {
  name: 'test',
  sql: `exists (select from list_readings where party = 'bank')`,
};

let temporal: RealTemporal;
let test: TestDatabase;
beforeAll(async () => {
  [temporal, test] = await Promise.all([realTemporal(), testDatabase()]);
  await ensureSchedules(temporal.client, EXPIRY);
  // Without its times, since a run at the full hour would count as one of the sign.
  await schedule().update((found) => ({ ...found, spec: {} }));
  await until(async () => (await description()).info.nextActionTimes.length === 0);
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await test.drop();
});

afterEach(() => due(false));

const schedule = () => temporal.client.schedule.getHandle('authorization-expiry');
const description = () => describeSchedule(temporal.client, 'authorization-expiry');
const runs = async () => (await description()).info.recentActions.length;
const due = (isDue: boolean) =>
  test.database.query(
    isDue
      ? `insert into list_readings (party, read_at) values ('bank', now()) on conflict do nothing`
      : 'delete from list_readings',
  );

/** The database, and how many statements it was sent. */
function counted() {
  let looks = 0;
  const query = ((text: string, values?: unknown[]) => {
    looks += 1;
    return test.database.query(text, values);
  }) as typeof test.database.query;
  return { database: { ...test.database, query }, looks: () => looks };
}

it('runs a schedule when its sign is there, not before, and not while an operator has paused it', async () => {
  const { database, looks } = counted();
  const { client } = temporal;
  const options = { client, database, log: quiet, due: { 'authorization-expiry': SIGN }, everyMs: 100 };
  const kept = startDueSchedules(options);
  try {
    await until(() => looks() >= 4);
    expect(await runs()).toBe(0);
    await schedule().pause('test');
    await until(async () => (await description()).state.paused);
    await due(true);
    const before = looks();
    await until(() => looks() >= before + 6);
    expect(await runs()).toBe(0);
    await schedule().unpause();
    await until(async () => (await runs()) > 0);
  } finally {
    await kept.stop();
  }
});

it('runs a schedule again when what is perhaps due has changed', async () => {
  // The rest of the value stands for facts that no event tells.
  const sign: Sign = { name: 'test', sql: `'perhaps ' || (select count(*) from list_readings)` };
  let runs = 0;
  let described = 0;
  const client = {
    schedule: {
      getHandle() {
        const handle = schedule();
        const describe = () => {
          described += 1;
          return handle.describe();
        };
        const trigger = async () => {
          await handle.trigger();
          runs += 1;
        };
        return { ...handle, describe, trigger };
      },
    },
  } as unknown as RealTemporal['client'];
  const { database, looks } = counted();
  const options = { client, database, log: quiet, due: { 'authorization-expiry': sign }, everyMs: 200 };
  const kept = startDueSchedules(options);
  try {
    await until(() => runs === 1);
    const then = { looks: looks(), described };
    await until(() => looks() >= then.looks + 3);
    expect(described).toBe(then.described);
    await due(true);
    await until(() => runs === 2);
  } finally {
    await kept.stop();
  }
});

it('answers several readers of a schedule that changes, although Temporal takes one question at a time', async () => {
  for (let round = 0; round < 10; round += 1) {
    const readers = Array.from({ length: 3 }, description);
    const [, ...descriptions] = await Promise.all([schedule().trigger(), ...readers]);
    expect(descriptions.map(({ scheduleId }) => scheduleId)).toEqual(Array(3).fill('authorization-expiry'));
  }
});
