/** @long */
import { PassThrough } from 'node:stream';
import { Context } from '@temporalio/activity';
import type { Client as TemporalClient, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { createKycActivities } from '../../activities/kyc';
import { DatabaseAway } from '../../src/kernel/db/faults';
import { createLogger } from '../../src/kernel/logging';
import { LOOK, SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';
import { storeContent } from '../../src/people/kyc/documents/content';
import { KYC_SCENARIOS } from '../../src/people/kyc/sandbox-review';
import { decide, eventsOf, type KycApi, kycApi, kycStatus } from '../people/kyc/support';
import type { Client } from '../support/api';
import { type TimeSkipping, timeSkipping } from '../support/temporal';
import { until } from '../support/until';
import { createUser, jpeg, receivedJpeg, uploadAll, uploadDocument, userInReview } from '../support/uploads';

const logged: string[] = [];
const destination = new PassThrough().on('data', (line: Buffer) => logged.push(line.toString()));

let api: KycApi;
let client: Client;
let admin: Client;
let temporal: TimeSkipping;
beforeAll(async () => {
  const log = createLogger({ level: 'trace', destination });
  [api, temporal] = await Promise.all([kycApi({ log }), timeSkipping()]);
  [client, admin] = await Promise.all([api.client(), api.client('admin')]);
}, 600_000);
afterAll(async () => {
  await Promise.all([api.close(), temporal.close()]);
});

const DAY_MS = 24 * 60 * 60_000;

type Steps = ReturnType<typeof createKycActivities>;

/** The activities with a count of looks. The hooks run before and after each attempt. */
function watched(hooks: { before?: () => void; after?: () => void } = {}) {
  const steps = createKycActivities(api.services);
  const looks: number[] = [];
  const lookAtKycReview: Steps['lookAtKycReview'] = async (look) => {
    try {
      hooks.before?.();
      const status = await steps.lookAtKycReview(look);
      hooks.after?.();
      return status;
    } finally {
      looks.push(Context.current().info.currentAttemptScheduledTimestampMs); // the test may now change the record
    }
  };
  return { looks, steps: { ...steps, lookAtKycReview } };
}

/** Starts the workflow of the last command for the user, as the relay does. */
async function begin(runner: TemporalClient, userId: string): Promise<WorkflowHandleWithFirstExecutionRunId> {
  const command = api.commands.findLast((each) => each.workflow === 'kycReview' && each.args[0] === userId);
  if (!command) throw new Error('there is no command for a review');
  const { workflow, workflowId, taskQueue, args, summary = '' } = command;
  return runner.workflow.start(workflow, { workflowId, taskQueue, args, staticSummary: summary });
}

async function manualReview(clientId: string, setting: 'auto' | 'manual'): Promise<void> {
  await api.database.query(
    `update tenants set settings = jsonb_set(settings, '{kycReview}', to_jsonb($2::text)) where id = $1`,
    [clientId, setting],
  );
}

it.each(['completed', 'rejected', 'resubmission_required'])(
  'waits for an operator, and ends at once after the decision: %s',
  async (decision) => {
    const userId = await userInReview(client);
    const { looks, steps } = watched();
    const ended = await temporal.withWorkers(steps, async (runner) => {
      const handle = await begin(runner, userId);
      await until(() => looks.length === 1);
      await decide(admin, userId, decision);
      expect(api.commands.at(-1)).toMatchObject({ action: 'look', workflowId: handle.workflowId });
      await handle.signal(LOOK);
      return handle.result();
    });
    expect([ended, looks.length]).toEqual([decision, 2]);
  },
);

it('waits 90 days without a signal with short histories, and keeps moving its due time', async () => {
  const userId = await userInReview(client);
  const { looks, steps } = watched();
  await temporal.withWorkers(steps, async (runner) => {
    const handle = await begin(runner, userId);
    const begun = await temporal.env.currentTimeMs();
    await until(() => looks.length === 1);
    await temporal.env.sleep(90 * DAY_MS);
    expect((await runner.workflow.getHandle(handle.workflowId).describe()).status.name).toBe('RUNNING');
    expect(await kycStatus(client, userId)).toBe('in_review');
    expect(looks.length).toBeGreaterThanOrEqual(180); // every twelve hours
    expect(looks.length).toBeLessThan(190);
    const [row] = await api.database.query<{ watched_until: Date }>(
      'select watched_until from kyc_reviews where user_id = $1',
      [userId],
    );
    expect(row?.watched_until.getTime()).toBeGreaterThanOrEqual(begun + 90 * DAY_MS);
    const later = runner.workflow.getHandle(handle.workflowId);
    expect((await later.describe()).runId).not.toBe(handle.firstExecutionRunId);
    const runs = [handle.firstExecutionRunId, undefined];
    for (const run of runs) {
      const { events } = await runner.workflow.getHandle(handle.workflowId, run).fetchHistory();
      expect(events?.length).toBeLessThan(1_500);
    }
    await decide(admin, userId, 'completed');
    await later.signal(LOOK);
    expect(await handle.result()).toBe('completed');
  });
}, 600_000);

it('finds a decision whose signal was lost', async () => {
  const userId = await userInReview(client);
  const { looks, steps } = watched();
  const ended = await temporal.withWorkers(steps, async (runner) => {
    const handle = await begin(runner, userId);
    await until(() => looks.length === 1);
    await decide(admin, userId, 'rejected');
    return handle.result(); // the server skips time
  });
  expect(ended).toBe('rejected');
});

it('ends in its first step when the review is already decided', async () => {
  const userId = await userInReview(client);
  await decide(admin, userId, 'completed');
  const { looks, steps } = watched();
  await temporal.withWorkers(steps, async (runner) => {
    expect(await (await begin(runner, userId)).result()).toBe('completed');
    expect(await (await begin(runner, userId)).result()).toBe('completed');
  });
  expect(looks).toHaveLength(2);
  expect(await eventsOf(api, userId)).toHaveLength(3);
});

it('has a workflow for each submission', async () => {
  const userId = await userInReview(client);
  await decide(admin, userId, 'resubmission_required');
  await uploadAll(client, userId, ['idFrontImg']);
  await client.call('POST', `/v1/users/${userId}/kyc/submit`);
  const { looks, steps } = watched();
  await temporal.withWorkers(steps, async (runner) => {
    const second = await begin(runner, userId);
    expect(second.workflowId).toBe(`kyc-review-${userId}-2`);
    await until(() => looks.length === 1);
    const args = [userId, 1];
    const first = runner.workflow.execute('kycReview', {
      workflowId: `kyc-review-${userId}-1`,
      taskQueue: 'processes',
      args,
    });
    expect(await first).toBe('resubmission_required');
    expect((await second.describe()).status.name).toBe('RUNNING');
    await decide(admin, userId, 'completed');
    await second.signal(LOOK);
    expect(await second.result()).toBe('completed');
  });
});

it('shows the final status to the operator', async () => {
  const userId = await userInReview(client);
  const { looks, steps } = watched();
  await temporal.withWorkers(steps, async (runner) => {
    const handle = await begin(runner, userId);
    await until(() => looks.length === 1);
    await decide(admin, userId, 'completed');
    await handle.signal(LOOK);
    await handle.result();
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes[SEARCH_ATTRIBUTES.recordStatus]).toEqual(['completed']);
  });
});

describe('in the sandbox with the setting auto', () => {
  it.each([
    ...KYC_SCENARIOS,
    { idNo: 'X1234567', decision: 'completed', reason: undefined },
    { idNo: 'kyc-reject', decision: 'completed', reason: undefined },
  ])('decides $idNo by itself: $decision', async ({ idNo, decision, reason }) => {
    const own = await api.client();
    await manualReview(own.clientId, 'auto');
    const userId = await userInReview(own, { idNo });
    expect(await kycStatus(own, userId)).toBe('in_review');
    const { looks, steps } = watched();
    const ended = await temporal.withWorkers(steps, async (runner) => (await begin(runner, userId)).result());
    expect([ended, looks.length]).toEqual([decision, 1]);
    expect((await own.call('GET', `/v1/users/${userId}/kyc`)).body).toMatchObject({ status: decision });
    const events = await eventsOf(api, userId);
    expect(events).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ status: decision, previousStatus: 'in_review' });
    expect(events.at(-1)?.reason).toBe(reason);
    const rows = await api.database.query(
      'select decision, decided_by from kyc_decisions where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([{ decision, decided_by: 'sandbox' }]);
  });

  it('decides once although the worker dies after the decision', async () => {
    const own = await api.client();
    await manualReview(own.clientId, 'auto');
    const userId = await userInReview(own);
    let deaths = 0;
    const { looks, steps } = watched({
      after: () => {
        deaths += 1;
        if (deaths <= 3) throw new Error('the worker dies');
      },
    });
    const ended = await temporal.withWorkers(steps, async (runner) => (await begin(runner, userId)).result());
    expect([ended, looks.length]).toEqual(['completed', 4]);
    expect(await eventsOf(api, userId)).toHaveLength(3);
  });

  it('keeps an operator’s earlier decision, and decides nothing in live mode', async () => {
    const own = await api.client();
    await manualReview(own.clientId, 'auto');
    const decided = await userInReview(own);
    await decide(admin, decided, 'rejected');
    const steps = createKycActivities(api.services);
    const look = (userId: string) =>
      steps.lookAtKycReview({ userId, submission: 1, watchedUntil: Date.now() });
    expect(await look(decided)).toBe('rejected');
    const waiting = await userInReview(own);
    const live = createKycActivities({ ...api.services, mode: 'live' });
    expect(await live.lookAtKycReview({ userId: waiting, submission: 1, watchedUntil: 0 })).toBe('in_review');
    expect(await look(waiting)).toBe('completed');
  });
});

it('removes content that no record keeps, batch by batch', async () => {
  const own = await api.client();
  for (let index = 0; index < 60; index += 1) {
    const key = { tenantId: own.clientId, documentId: `doc_unkept${index}` };
    await storeContent({ ...api.services, now: () => new Date(0) }, key, receivedJpeg());
  }
  const stored = async () => (await api.stored()).filter((name) => name.startsWith(own.clientId)).length;
  expect(await stored()).toBe(60);
  await temporal.withWorkers(createKycActivities(api.services), (runner) =>
    runner.workflow.execute('documentRemoval', { workflowId: 'document-removal', taskQueue: 'processes' }),
  );
  expect(await stored()).toBe(0);
});

it('continues when the database is back', async () => {
  const userId = await userInReview(client);
  await decide(admin, userId, 'completed');
  let tries = 0;
  const { steps } = watched({
    before: () => {
      tries += 1;
      if (tries < 10) throw new DatabaseAway('test');
    },
  });
  const ended = await temporal.withWorkers(steps, async (runner) => (await begin(runner, userId)).result());
  expect([ended, tries]).toEqual(['completed', 10]);
});

it('writes no personal data to histories, commands, webhooks, the audit log or the log', async () => {
  const own = await api.client();
  const personal = ['Ada', 'Byron', 'ada.byron@example.com', 'X1234567', '1815-12-10', 'JFIF', 'the-notes'];
  const [firstName = '', lastName = '', email = '', idNo = '', birthday = ''] = personal;
  const userId = await createUser(own, { firstName, lastName, email, idNo, birthday });
  for (const slot of ['idFrontImg', 'idBackImg', 'idHoldImg'])
    await uploadDocument(own, userId, slot, jpeg(`${firstName} ${lastName} ${idNo}`));
  await own.call('POST', `/v1/users/${userId}/kyc/submit`);
  await admin.call('PATCH', `/v1/users/${userId}/kyc/notes`, { notes: 'the-notes' });
  const { looks, steps } = watched();
  const history = await temporal.withWorkers(steps, async (runner) => {
    const handle = await begin(runner, userId);
    await until(() => looks.length === 1);
    await decide(admin, userId, 'rejected', 'The photo is not sharp.');
    await handle.signal(LOOK);
    await handle.result();
    return handle.fetchHistory();
  });
  const payloads: string[] = [];
  JSON.stringify(history, (_key, value: unknown) => {
    if (value instanceof Uint8Array) payloads.push(Buffer.from(value).toString('utf8'));
    return value;
  });
  const table = async (name: string) => JSON.stringify(await api.database.query(`select * from ${name}`));
  const written = [
    JSON.stringify(history),
    ...payloads,
    JSON.stringify(api.commands),
    await table('events'),
    await table('audit_log'),
    await table('kyc_decisions'),
    await table('idempotency_keys'),
    logged.join(''),
  ].join('\n');
  expect(written).toContain(userId);
  expect(logged.length).toBeGreaterThan(5);
  for (const word of personal) {
    expect(written).not.toContain(word);
    expect(written).not.toContain(Buffer.from(word).toString('base64').replace(/=+$/, '').slice(0, -1));
  }
});
