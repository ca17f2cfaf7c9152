import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { agrees, type Balances, fold, reconcile } from '../../../client/src';
import type { Sql } from '../../../src/kernel/db/database';
import { isSigned, type Received } from '../../support/outside/receiver';
import { temporalAt } from '../../support/outside/temporal-client';
import {
  expectAllSwept,
  expectContiguousNonces,
  expectReconciled,
  expectWalletsRest,
} from '../chain/invariants';
import { MONEY_ENDS } from '../money';
import { allOf } from '../pages';
import { type Answer, isProperlyAway, PATIENCE_MS, type Persistent, type Settled } from '../persistent';
import { EXPIRED } from '../quotes';
import { storiesOf } from '../scenario';
import { type Load, MEASURE, measureOf } from './load';
import type { Random } from './random';
import { type ChaosWorld, decide, within } from './world';

/** A run that has ended, as its proofs read it. A proof throws an error with the difference. */
export interface Ended {
  world: ChaosWorld;
  load: Load;
  random: Random;
  /** Time in which everything must come to rest, in milliseconds. */
  restMs: number;
}

type Proof = (ended: Ended) => Promise<void>;

export const CARDS = '/v1/cards?limit=100';
export interface CardBalance {
  id: string;
  balance: Balances;
}

const REPEATS = 3_000;
const AT_ONCE = 8;
/** The break that the second worker opens, because its clock is wrong until the end. */
const WRONG_CLOCK = 'party_clock_differs';

/** SQL. A late look at an ended transfer is a day away, less an hour for each fault that wipes Temporal. */
const SOON = `now() + interval '10 hours'`;

/** In this order, because the first one waits until everything rests. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  async 'everything comes to rest'({ world, restMs }) {
    let left: unknown[] = [];
    const rests = async () => {
      left = (await leftOver(world)).filter(({ state }) => !state?.startsWith(WRONG_CLOCK));
      return left.length === 0;
    };
    if (!(await within(restMs, rests))) assert.deepEqual(left, []);
  },
  async 'no work of a client fails'({ load, world: { client } }) {
    assert.deepEqual(load.failures, []);
    assert.deepEqual(refusalsOf(client), []);
  },
  async 'no answer is a 500, and no process ends by itself'({ world: { roles } }) {
    for (const [name, role] of Object.entries(roles)) {
      assert.equal(role.failures(), 0, `${name} has ended by itself`);
      const lines = role.text().split('\n');
      assert.deepEqual(
        [name, lines.filter((line) => /"status(Code)?":500\b/.test(line)).slice(0, 3)],
        [name, []],
      );
    }
  },
  async 'each key has one effect, and a repeat gets the first answer'({ world, random }) {
    for (const client of [world.client, world.onChain.client, world.onChain.admin]) {
      const done = client.settled.filter(
        ({ answer, body }) => answer.status < 300 && !(body instanceof FormData),
      );
      const repeated = random.shuffled(done).slice(0, REPEATS);
      await each(repeated, async (settled) => assertSame(settled, await repeat(client, settled)));
    }
  },
  async 'each life has the events of an undisturbed one'({ world, load: { cards, ends } }) {
    const stories = storiesOf(firsts(world));
    // A status that has already passed when the process reads it is not reported, if the table has a path around it.
    const story = (name: string) =>
      stories.get(name)?.filter((line) => !/status_changed (processing|sent)/.test(line));
    for (const [name, reached] of ends) {
      assert.deepEqual([name, reached], [name, MONEY_ENDS]);
      assert.deepEqual([name, story(name)], [name, story(`${MEASURE}-money`)]);
    }
    for (const [name, { variant }] of cards) {
      const measure = stories.get(measureOf(variant));
      assert.ok(measure && measure.length > 0, variant);
      assert.deepEqual([name, stories.get(name)], [name, measure]);
    }
    const inside = [...stories].filter(([name]) => name.startsWith('inside-'));
    for (const [name, lines] of inside) assert.deepEqual([name, lines], [name, inside[0]?.[1]]);
  },
  async 'each webhook event is delivered, signed and with the same bytes'(ended) {
    const { world } = ended;
    const { database, receiver, credential } = world;
    const recorded = await database.query<{ id: string }>(
      'select data_id as id from events where tenant_id = $1',
      [credential.clientId],
    );
    const told = firsts(world);
    assert.deepEqual(told.map(({ body }) => body.data['id']).sort(), recorded.map(({ id }) => id).sort());
    const bytes = new Map(told.map((one) => [one.body.data['id'], one.raw.toString('hex')]));
    for (const one of receiver.received) {
      assert.equal(one.raw.toString('hex'), bytes.get(one.body.data['id']));
      assert.ok(isSigned(one, credential.clientSecret), `not signed: ${one.raw.toString()}`);
    }
  },
  async 'the books agree, and the audit log'({ world }) {
    await decide(world, 'ledger', 'check');
    await decide(world, 'audit', 'verify');
  },
  async 'webhooks add up to the balances'({ world }) {
    const events = firsts(world).map(({ body }) => body);
    assert.deepEqual(reconcile(events), []);
    const folds = fold(events);
    for (const { id, balance } of await allOf<CardBalance>(world.client, CARDS))
      assert.ok(agrees(folds.get(id), balance), `${id}: ${JSON.stringify([folds.get(id), balance])}`);
    for (const id of [world.usd, world.onChain.accountId]) {
      const account = await world.client.get(`/v2/accounts/${id}/balance`);
      assert.equal(Number(account.pending), 0, JSON.stringify(account));
      assert.ok(agrees(folds.get(id), account), `${id}: ${JSON.stringify([folds.get(id), account])}`);
    }
  },
  async 'each order of a party is known once, and each payment is booked once'({ world }) {
    const { database, parties } = world;
    const { unknown, ungiven } = await compareOrders({ parties: parties.database, database });
    assert.deepEqual({ unknown, ungiven }, { unknown: [], ungiven: [] });
    const received = await parties.database.query(
      `select key as ref from sandbox_orders where key like 'sbp-%' order by 1`,
    );
    const booked = await database.query(
      `select party_ref as ref from transfers where kind = 'iban_credit' order by 1`,
    );
    assert.deepEqual(booked, received);
  },
  async 'no workflow failed or is stuck'({ world, restMs }) {
    let found: string[] = [];
    const none = async () => {
      found = await strayWorkflows(world);
      return found.length === 0;
    };
    if (!(await within(restMs, none))) assert.deepEqual(found, []);
  },
  async 'the chain has what the books have'({ world: { onChain, database, fleet } }) {
    await expectAllSwept(onChain, database);
    await expectWalletsRest(database);
    await expectContiguousNonces(onChain, database);
    await expectReconciled(onChain, fleet);
  },
};

/** Work that has not ended. A workflow that ended while its party's list could not be read waits for a day until it reads the party again. */
export const leftOver = ({ database, credential }: Pick<ChaosWorld, 'database' | 'credential'>) =>
  database.query<{ what: string; id: string; state: string | null }>(
    `select 'card' as what, id::text, status as state from cards
      where status not in ('closed', 'failed') or (status = 'closed' and processor_closed_at is null)
     union all select 'gas operation', id::text, status from gas_operations where executed_at is null
     union all select 'wallet', id::text, status from wallets where status = 'allocated'
     union all select 'event', number::text, delivery from events where delivery <> 'delivered' and tenant_id = $1
     union all select 'command', workflow_id, last_error from workflow_commands
     union all select 'transfer', id, status from transfers where due_by < ${SOON}
     union all select 'break', subject, kind || ' ' || detail from breaks where resolved_at is null limit 20`,
    [credential.clientId],
  );

/** Requests that the product refused. A client that finds its quote expired asks for another one. */
export const refusalsOf = ({ settled }: Pick<Persistent, 'settled'>): string[] =>
  settled
    .filter(({ answer }) => answer.status >= 300 && answer.body.code !== EXPIRED)
    .map(({ method, path, key, answer }) => `${method} ${path} (${key}): ${answer.text}`);

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Sends a request again. A busy machine may give no definite answer at first. */
async function repeat(client: Persistent, settled: Settled): Promise<Answer> {
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(500)) {
    const answer = await client.again(settled).catch(() => undefined);
    if (answer && !isProperlyAway(answer)) return answer;
    if (performance.now() > end) throw new Error(`${settled.key} gets no definite answer`);
  }
}

function assertSame({ key, answer }: Settled, again: Answer): void {
  const told = [key, again.status, again.headers.get('x-idempotent-replayed'), again.text];
  assert.deepEqual(told, [key, answer.status, 'true', answer.text]);
}

/** The first delivery of each event. */
function firsts({ receiver }: ChaosWorld): Received[] {
  const newestFirst = [...receiver.received].reverse();
  return [...new Map(newestFirst.map((one) => [one.body.data['id'] as string, one])).values()];
}

export interface Compared {
  /** Orders that a party has accepted and the product does not know: `party key`. */
  unknown: string[];
  /** Transfers that the product counts as moved by a party that does not know them. */
  ungiven: string[];
}

/** Compares the orders of the sandbox's parties with the records of the product. */
export async function compareOrders({
  parties,
  database,
}: Record<'parties' | 'database', Sql>): Promise<Compared> {
  const theirs = await parties.query<{ party: string; key: string; id: string | null }>(
    'select party, key, id from sandbox_orders where accepted_at is not null order by 1, 2',
  );
  const ours = await database.query<{ name: string }>(
    `select party_ref as name from transfers where party_ref is not null
     union select id from transfers union select ref from party_orders
     union select key from screenings union select concat('issue-', id) from cards union select concat('close-', id) from cards
     union select concat('submission-', id, '-', n) from cardholders, generate_series(0, submissions) n`,
  );
  const known = new Set(ours.map(({ name }) => name));
  const moved = await database.query<{ id: string; ref: string | null }>(
    `select id, party_ref as ref from transfers where party <> 'chain' and status in ('completed', 'returned')`,
  );
  const at = new Set(theirs.flatMap(({ key, id }) => [key, id]));
  return {
    unknown: theirs
      .filter(({ key, id }) => !known.has(key) && !(id && known.has(id)))
      .map(({ party, key }) => `${party} ${key}`),
    ungiven: moved.filter(({ id, ref }) => !at.has(id) && !at.has(ref)).map(({ id }) => id),
  };
}

/** Workflows that run for ever, or that a schedule starts. */
const LASTING = [
  'auditHead',
  'authorizationExpiry',
  'chainReading',
  'chainWatcher',
  'documentRemoval',
  'gasAutoSweep',
  'housekeeping',
  'ibanMonthlyFees',
  'operatorMail',
  'partyWatcher',
  'settlementReading',
  'webhookDispatcher',
];

/** @returns workflows that failed, and those of records that still run */
async function strayWorkflows({ fleet, database }: ChaosWorld): Promise<string[]> {
  const temporal = temporalAt(fleet.temporalAddress);
  try {
    const found: string[] = [];
    const query = `ExecutionStatus in ('Failed', 'Terminated', 'TimedOut', 'Running')`;
    for await (const { workflowId, type, status } of temporal.client.workflow.list({ query }))
      if (status.name !== 'RUNNING' || !LASTING.includes(type)) found.push(`${workflowId} ${status.name}`);
    const resting = await restingRecords(database);
    const strays = found.filter((stray) => !resting.has(recordOf(stray))).slice(0, 20);
    return await Promise.all(strays.map((stray) => withEvents(temporal, stray)));
  } finally {
    await temporal.close();
  }
}

/** `payout-lifecycle-pay_… RUNNING` is of the record `pay_…`. */
const recordOf = (stray: string): string => /([^ -]*) \w+$/.exec(stray)?.[1] ?? '';

/** Ended transfers that wait for a day, because their party's list was unread ({@link leftOver}). */
async function restingRecords(database: ChaosWorld['database']): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>(`select id from transfers where look_at > ${SOON}`);
  return new Set(rows.map(({ id }) => id));
}

/** With the types of its last events, for the reader of the failure. */
async function withEvents({ client }: ReturnType<typeof temporalAt>, stray: string): Promise<string> {
  const [workflowId = ''] = stray.split(' ');
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const last = (events ?? []).slice(-8).map(({ eventType }) => eventType);
  return `${stray} ${last.join(' ')}`;
}
