/** @long */
import { PassThrough } from 'node:stream';
import type { Client as TemporalClient } from '@temporalio/client';
import { createCardholderActivities } from '../../activities/cardholders';
import { createLogger } from '../../src/kernel/logging';
import { LOOK, SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';
import type { CardholderStatus } from '../../src/people/cardholders/record';
import {
  decide,
  eventsOf,
  ID_NUMBER,
  pending,
  read,
  STREET,
  setReview,
  statusOf,
} from '../people/cardholders/support';
import { type Client, DECIDED_AT_ONCE, type TestApi, testApi } from '../support/api';
import { type TimeSkipping, timeSkipping, watchedSteps } from '../support/temporal';
import { until } from '../support/until';
import { uploadDocument } from '../support/uploads';

const logged: string[] = [];
const destination = new PassThrough().on('data', (line: Buffer) => logged.push(line.toString()));

let api: TestApi;
let client: Client;
/** A tenant whose cardholders need an operator's approval. */
let manual: Client;
let temporal: TimeSkipping;
let runner: TemporalClient;
let clock: { at: Date };
/** The attempts of all steps since the test began, and a hook that runs after each attempt. */
let attempts: string[];
let after: (attempt: number) => void;

/** The activities. The reviewer and the product use the workflows' clock. */
const watchedActivities = () =>
  watchedSteps(createCardholderActivities(api.services), {
    begins: (name, at) => {
      clock.at = at;
      return attempts.push(name);
    },
    ended: (attempt) => after(attempt),
  });

beforeAll(async () => {
  const log = createLogger({ level: 'trace', destination });
  clock = { at: new Date() };
  [api, temporal] = await Promise.all([
    testApi({ ...DECIDED_AT_ONCE, log, now: () => clock.at }),
    timeSkipping(),
  ]);
  [client, manual] = await Promise.all([api.client(), api.client()]);
  await setReview(api, manual.clientId, 'manual');
  await temporal.keepWorkers(watchedActivities());
  runner = temporal.client;
}, 600_000);
beforeEach(() => {
  attempts = [];
  after = () => undefined;
});
afterAll(async () => {
  await temporal.close();
  await api.close();
});

const idOf = (id: string) => `cardholder-submission-${id}`;
const DAY_MS = 24 * 60 * 60_000;
const times = (name: string) => attempts.filter((each) => each === name).length;

/** Hands the last command for the cardholder to Temporal, as the relay does. */
async function hand(id: string) {
  const command = api.commands.findLast(({ args }) => args[0] === id);
  if (!command) throw new Error('there is no command for the cardholder');
  const { workflow, workflowId, taskQueue, args, action } = command;
  const options = { workflowId, taskQueue, args, workflowIdConflictPolicy: 'USE_EXISTING' } as const;
  return action === 'start'
    ? runner.workflow.start(workflow, options)
    : runner.workflow.signalWithStart(workflow, { ...options, signal: LOOK });
}

const run = async (id: string): Promise<string> => (await hand(id)).result() as Promise<string>;
const statuses = async (id: string) => (await eventsOf(api, id)).map(({ status }) => status);

const WAYS: [string, CardholderStatus, CardholderStatus[]][] = [
  ['Travel', 'pass_audit', ['wait_audit']],
  ['sandbox:reject', 'reject', ['wait_audit']],
  ['sandbox:refuse', 'submission_failed', ['wait_audit']],
  ['sandbox:slow', 'pass_audit', ['wait_audit']],
  ['sandbox:slow-reject', 'reject', ['wait_audit']],
  ['sandbox:timeout', 'pass_audit', ['wait_audit']],
  ['sandbox:lost', 'pass_audit', ['wait_audit']],
  ['sandbox:unreachable', 'pass_audit', ['wait_audit']],
  ['sandbox:review-reject', 'rejected_by_admin', []],
];

it.each(WAYS)('leads a cardholder with the purpose %s to %s', async (accountPurpose, end, between) => {
  const { id } = await pending(api, client, { accountPurpose });
  expect(await run(id)).toBe(end);
  expect(await statusOf(client, id)).toBe(end);
  expect(await statuses(id)).toEqual(['pending_review', ...between, end]);
  const described = await runner.workflow.getHandle(idOf(id)).describe();
  expect(described.searchAttributes[SEARCH_ATTRIBUTES.recordStatus]).toEqual([end]);
});

it('starts again with each call of the client, through every transition', async () => {
  const { id } = await pending(api, client, { accountPurpose: 'sandbox:review-reject' });
  const call = async (method: string, path: string, body?: unknown) => {
    expect((await client.call(method, `/v1/cardholders/${id}${path}`, body)).status).toBe(200);
    return run(id);
  };
  const update = async (accountPurpose: string) =>
    expect((await client.call('PATCH', `/v1/cardholders/${id}`, { accountPurpose })).status).toBe(200);
  expect(await run(id)).toBe('rejected_by_admin');
  await update('sandbox:refuse');
  expect(await call('POST', '/submit')).toBe('submission_failed');
  expect(await call('POST', '/retry')).toBe('submission_failed');
  expect(await call('PATCH', '', { accountPurpose: 'sandbox:reject' })).toBe('reject');
  expect(await call('POST', '/submit')).toBe('reject');
  await update('Travel');
  expect(await call('POST', '/submit')).toBe('pass_audit');
  expect(await statuses(id)).toEqual([
    ...['pending_review', 'rejected_by_admin', 'pending_review', 'wait_audit', 'submission_failed'],
    ...['wait_audit', 'submission_failed', 'wait_audit', 'reject', 'wait_audit', 'reject'],
    ...['wait_audit', 'pass_audit'],
  ]);
  expect((await read(client, id)).submissions).toBe(5);
  expect(await run(id)).toBe('pass_audit'); // a workflow of a final cardholder ends in its first step
  expect(attempts.at(-1)).toBe('lookAtCardholder');
});

it('waits 90 days for an operator with short histories, and keeps moving its due time', async () => {
  const { id } = await pending(api, manual);
  const { firstExecutionRunId } = (await hand(id)) as { firstExecutionRunId: string };
  const begun = await temporal.env.currentTimeMs();
  await until(() => attempts.length === 1);
  await temporal.env.sleep(90 * DAY_MS);
  expect(times('lookAtCardholder')).toBeGreaterThanOrEqual(180); // every twelve hours
  expect(times('lookAtCardholder')).toBeLessThan(190);
  expect(await statusOf(manual, id)).toBe('pending_review');
  const [row] = await api.database.query<{ watched_until: Date }>(
    'select watched_until from cardholders where id = $1',
    [id],
  );
  expect(row?.watched_until.getTime()).toBeGreaterThanOrEqual(begun + 90 * DAY_MS);
  const handle = runner.workflow.getHandle(idOf(id));
  expect((await handle.describe()).runId).not.toBe(firstExecutionRunId);
  for (const runId of [firstExecutionRunId, undefined]) {
    const { events } = await runner.workflow.getHandle(idOf(id), runId).fetchHistory();
    expect(events?.length).toBeLessThan(1_500);
  }
  await decide(api, id, 'approved');
  expect(await run(id)).toBe('pass_audit');
}, 600_000);

it('reads a decision at once after the signal, and later when the signal was lost', async () => {
  const [told, lost] = await Promise.all([pending(api, manual), pending(api, manual)]);
  await hand(told.id);
  await until(() => attempts.length === 1);
  await decide(api, told.id, 'rejected');
  await hand(told.id);
  await until(() => attempts.length === 2); // without skipped time
  expect(await runner.workflow.getHandle(idOf(told.id)).result()).toBe('rejected_by_admin');
  await hand(lost.id);
  await until(() => attempts.length === 3);
  await decide(api, lost.id, 'approved');
  expect(await runner.workflow.getHandle(idOf(lost.id)).result()).toBe('pass_audit');
});

it('fails the submission when the party is away for a day, with no attempt in its history', async () => {
  const { id } = await pending(api, client, { accountPurpose: 'sandbox:gone' });
  expect(await run(id)).toBe('submission_failed');
  // The server's clock skips beyond the end, so the test takes the duration from the workflow's own times.
  const { startTime, closeTime } = await runner.workflow.getHandle(idOf(id)).describe();
  const took = (closeTime as Date).getTime() - startTime.getTime();
  expect(took).toBeGreaterThan(DAY_MS * 0.95);
  expect(took).toBeLessThan(DAY_MS * 1.1);
  expect(times('submitCardholder')).toBe(300);
  expect(times('giveUpSubmission')).toBe(1);
  expect((await read(client, id)).description).toBe('The provider could not be reached.');
  const { events } = await runner.workflow.getHandle(idOf(id)).fetchHistory();
  expect(events?.length).toBeLessThan(40);
}, 600_000);

it('asks a party that never decides once an hour, without end', async () => {
  const { id } = await pending(api, client, { accountPurpose: 'sandbox:silent' });
  await hand(id);
  await until(() => attempts.includes('submitCardholder'));
  await temporal.env.sleep(10 * DAY_MS);
  expect(times('submitCardholder')).toBeGreaterThan(230); // every hour
  expect(times('submitCardholder')).toBeLessThan(260);
  expect(await statusOf(client, id)).toBe('wait_audit');
  expect((await runner.workflow.getHandle(idOf(id)).describe()).status.name).toBe('RUNNING');
  await runner.workflow.getHandle(idOf(id)).terminate();
}, 600_000);

it('submits once although the worker dies after every step', async () => {
  const { id } = await pending(api, client);
  const died = new Set<string>();
  after = (attempt) => {
    const name = attempts[attempt - 1] ?? '';
    if (died.has(name)) return;
    died.add(name);
    throw new Error('the worker dies');
  };
  expect(await run(id)).toBe('pass_audit');
  expect([...died]).toEqual(['lookAtCardholder', 'submitCardholder']);
  expect(await statuses(id)).toEqual(['pending_review', 'wait_audit', 'pass_audit']);
  const calls = 'select calls from sandbox_orders where key = $1';
  expect(await api.database.query(calls, [`submission-${id}-1`])).toEqual([{ calls: 1 }]);
});

it('writes no personal data to histories, commands, webhooks, the audit log or the log', async () => {
  const personal = {
    firstName: 'Seraphina',
    lastName: 'Quillfeather',
    email: 'seraphina@quillfeather.example',
    phone: '7911123456',
    birthday: '1979-08-17',
    annualSalary: 'eleventy guineas',
    accountPurpose: 'sandbox:slow-reject',
    address: STREET,
    idNo: ID_NUMBER,
  };
  const { id, userId } = await pending(api, manual, personal);
  const admin = await api.client('admin');
  await uploadDocument(manual, userId, 'idFrontImg');
  await hand(id);
  await until(() => attempts.length === 1);
  await decide(api, id, 'approved', 'All is well.');
  expect(await run(id)).toBe('reject');
  const histories = [await runner.workflow.getHandle(idOf(id)).fetchHistory()];
  const path = `/v1/cardholders/${id}`;
  await admin.call('PATCH', path, { accountPurpose: 'sandbox:refuse', lastName: 'Quillfeathers' });
  await manual.call('PATCH', path, { phone: '02079460000' });
  await manual.call('POST', `${path}/submit`, undefined, { 'x-idempotency-key': 'personal' });
  expect(await run(id)).toBe('submission_failed');
  await manual.call('PATCH', `/v1/users/${userId}`, { meta: { postCode: 'not-a-code' } });
  await manual.call('POST', `${path}/retry`);
  histories.push(await runner.workflow.getHandle(idOf(id)).fetchHistory());
  const payloads: string[] = [];
  const json = JSON.stringify(histories, (_key, value: unknown) => {
    if (value instanceof Uint8Array) payloads.push(Buffer.from(value).toString('utf8'));
    return value;
  });
  const table = async (name: string) => JSON.stringify(await api.database.query(`select * from ${name}`));
  const tables = [
    'events',
    'workflow_commands',
    'audit_log',
    'cardholder_decisions',
    'sandbox_orders',
    'idempotency_keys',
  ];
  const written = [json, ...payloads, JSON.stringify(api.commands), logged.join('')];
  for (const name of tables) written.push(await table(name));
  const all = written.join('\n');
  expect(all).toContain(id);
  expect(logged.length).toBeGreaterThan(5);
  for (const word of [
    ...Object.values(personal).slice(0, 6),
    STREET,
    ID_NUMBER,
    'JFIF',
    'not-a-code',
    '02079460000',
  ]) {
    expect(all).not.toContain(word);
    expect(all).not.toContain(Buffer.from(word).toString('base64').replace(/=+$/, '').slice(0, -1));
  }
});
