import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { sendCode } from '../../src/cards/challenges/send';
import { orderCard } from '../../src/cards/orders/issuance';
import { carryOutOperation } from '../../src/cards/requests/carry-out';
import { advanceGasOperation } from '../../src/chain/gas-station/operations/steps/advance';
import { advanceAllocation } from '../../src/chain/wallets/allocations/end';
import { seedStatus } from '../../src/chain/wallets/seed/seed';
import type { KnownMark } from '../../src/kernel/db/commit-marks';
import { newOrderId } from '../../src/kernel/idempotency';
import { newId } from '../../src/kernel/ids';
import { showUnknown } from '../../src/parties/orders/unknown-name';
import { advanceCardholder } from '../../src/people/cardholders/review/decision';
import { advanceReview } from '../../src/people/kyc/review';
import { mayRepeatLost } from '../../src/process/lost-orders';
import { LOST } from '../../src/process/lost-record';
import { createCommitWatch, keepCommitWatch } from '../../src/startup/commit-watch';
import { advanceNamed } from '../../src/transfers/advance-named';
import { advance } from '../../src/transfers/engine/advance';
import { payoutKind } from '../../src/transfers/payouts/kind';
import { lastLoss, noteLostCommits } from '../../src/watch/lost-commits';
import { type TestApi, testApi } from '../support/api';
import { temporaryFolder } from '../support/servers';
import { until } from '../support/until';

/** A loss of commits is played by older marks, as a standby that lagged would have them. */

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(() => api.close());

/** A process with its memory. */
function watching(remembered?: KnownMark) {
  const memory: { mark: KnownMark | undefined } = { mark: remembered };
  const watch = createCommitWatch(api.services, remembered, {
    async keep(mark) {
      memory.mark = mark;
    },
  });
  return { memory, turn: () => watch.turn() };
}

const losses = () =>
  api.database.query<{ since: Date; reason: string }>(
    'select since, reason from lost_commits order by number',
  );
const breaks = () =>
  api.database.query<{ kind: string; subject: string; detail: string }>(
    'select kind, subject, detail from breaks where resolved_at is null order by created_at',
  );
const marks = (statement: string) => api.database.query(`update commit_marks set ${statement}`);

it('finds nothing while every mark stays', async () => {
  const [one, other] = [watching(), watching()];
  for (let turn = 0; turn < 3; turn += 1) {
    await one.turn();
    await other.turn();
  }
  const restarted = watching(one.memory.mark);
  await restarted.turn();
  expect(one.memory.mark?.number).toBe(3);
  expect(restarted.memory.mark).toMatchObject({ process: one.memory.mark?.process, number: 4 });
  expect([await losses(), await breaks()]).toEqual([[], []]);
});

it('takes the moment of the mark that has survived, and tells people once', async () => {
  const [one, other] = [watching(), watching()];
  for (let turn = 0; turn < 3; turn += 1) {
    await one.turn();
    await other.turn();
  }
  const survived = new Date('2026-01-31T12:00:00.000Z');
  await marks(`number = 1, at = '${survived.toISOString()}'`);
  await one.turn();
  await other.turn();
  expect(await losses()).toEqual([{ since: survived, reason: 'mark' }]);
  expect(await breaks()).toEqual([
    {
      kind: 'commits_lost',
      subject: 'installation',
      detail: 'since 2026-01-31T12:00:00.000Z: mark',
    },
  ]);
  await one.turn();
  await other.turn();
  expect(await lastLoss(api.database)).toBe(1);
});

it('notices a loss although the process was restarted, and one that took all its marks', async () => {
  const first = watching();
  for (let turn = 0; turn < 3; turn += 1) await first.turn();
  const bystander = watching();
  await bystander.turn();
  const process = first.memory.mark?.process ?? '';
  await api.database.query('delete from commit_marks where process = $1', [process]);
  await watching(first.memory.mark).turn();
  expect(await losses()).toMatchObject([{ reason: 'mark' }]);
});

/** Runs the watch for some turns. @returns its warnings */
async function watchIn(dataDir: string, turns: number): Promise<string[]> {
  const warned: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => warned.push(JSON.parse(line).msg) });
  const watch = await keepCommitWatch({ ...api.services, log }, dataDir, 1);
  for (let turn = 0; turn < turns; turn += 1) {
    await api.database.query(
      `insert into idempotency_keys (name, fingerprint, status, body, permanent)
       values (gen_random_uuid(), '', 200, '', false)`,
    );
    await until(async () => (await marksMade()) > turn + 1);
  }
  await watch.end();
  return warned;
}

const marksMade = async (): Promise<number> => {
  const [row] = await api.database.query<{ number: string }>(
    'select max(number) as number from commit_marks',
  );
  return Number(row?.number);
};

it('keeps its memory in a DATA_DIR that it makes', async () => {
  const dataDir = join(temporaryFolder('watch'), 'data');
  expect(await watchIn(dataDir, 0)).toEqual([]);
  const { number } = JSON.parse(readFileSync(join(dataDir, 'commits.json'), 'utf8')) as KnownMark;
  expect(number).toBe(await marksMade());
});

it('says once that it cannot keep its memory, and goes on', async () => {
  const file = join(temporaryFolder('watch'), 'data');
  writeFileSync(file, 'not a folder');
  expect(await watchIn(join(file, 'data'), 2)).toEqual([
    'DATA_DIR cannot be written to: after a restart this worker notices no loss of commits',
  ]);
});

it('takes a promoted standby for a loss, because it may lack the last second', async () => {
  const one = watching();
  await one.turn();
  const mark = one.memory.mark as KnownMark;
  expect([typeof mark.cluster, typeof mark.timeline]).toEqual(['string', 'number']);
  await watching({ ...mark, timeline: (mark.timeline ?? 0) - 1 }).turn();
  expect(await losses()).toMatchObject([{ reason: 'timeline' }]);
});

it('reads lists again from before the loss, and gives no address of a wallet again', async () => {
  const one = watching();
  for (let turn = 0; turn < 2; turn += 1) await one.turn();
  const before = await seedStatus(api.database, api.services.keyring);
  await api.database.query(
    `insert into party_places (party, read_at, place) values ('bank', product_now() - interval '1 hour', 'early'),
       ('bank', product_now(), 'late')`,
  );
  await marks(`number = 1, at = now() - interval '1 minute'`);
  await one.turn();
  expect(await api.database.query('select place from party_places')).toEqual([{ place: 'early' }]);
  const after = await seedStatus(api.database, api.services.keyring);
  expect(after.nextIndex.evm - before.nextIndex.evm).toBe(100_000);
});

it('keeps orders back until the list was read, and while the party has an order of the same key', async () => {
  const key = { callerId: newId('tenant'), idempotencyKey: 'order 66' };
  const accountId = newId('account');
  const [lost, again] = [newOrderId('payout', key, accountId), newOrderId('payout', key, accountId)];
  const other = newOrderId('payout', { ...key, idempotencyKey: 'order 67' }, accountId);
  expect(lost).not.toBe(again);
  const waits = (id: string) => mayRepeatLost(withoutMemory(), 'payouts', id);
  expect(await waits(again)).toBe(false);
  await noteLostCommits(api.database, { since: new Date(), reason: 'mark' }, api.services.now());
  expect([await waits(again), await waits(other)]).toEqual([true, true]);
  await api.database.query(
    `insert into list_readings (party, read_at) values ('payouts', product_now() + interval '11 seconds')`,
  );
  expect([await waits(again), await waits(other)]).toEqual([false, false]);
  await api.database.transaction((tx) => showUnknown(api.services, tx, 'payouts', [`payout-${lost}`]));
  expect([await waits(again), await waits(other)]).toEqual([true, false]);
  const resolved = `resolved_at = now(), resolved_by = 'test', note = 'never done'`;
  await api.database.query(`update breaks set ${resolved} where kind = 'party_order_unknown'`);
  expect(await waits(again)).toBe(false);
});

/** Another process, which does not remember that no loss is recent. */
const withoutMemory = () => ({ ...api.database });

/** The step of each workflow that serves one record, for a record that does not exist. */
const STEPS: Record<
  string,
  [what: string, step: (services: TestApi['services'], id: string) => Promise<unknown>]
> = {
  payout: ['payout', (services, id) => advance(services, payoutKind, id)],
  card_transfer: ['card_transfer', (services, id) => advanceNamed(services, 'card_transfer', id)],
  issuance: ['cardProcessor order', orderCard],
  'card operation': ['card_operation', carryOutOperation],
  'gas operation': ['gas_operation', advanceGasOperation],
  allocation: ['wallet_allocation', advanceAllocation],
  cardholder: ['cardholder', (services, id) => advanceCardholder(services, id, new Date())],
  challenge: ['challenge', (services, id) => sendCode(services, id, 1)],
};

it.each(Object.entries(STEPS))(
  'ends the workflow of a lost %s, and tells people its id',
  async (_, [what, step]) => {
    const id = newId('payout');
    const ends = [LOST, { status: LOST, open: false, lookAt: null }];
    for (const told of [await step(api.services, id), await step(api.services, id)])
      expect(ends).toContainEqual(told);
    expect(await breaks()).toEqual([{ kind: 'record_lost', subject: id, detail: what }]);
  },
);

it('ends the workflow of a lost review of documents', async () => {
  expect(await advanceReview(api.services, 'user_1', 2, new Date())).toBe(LOST);
  expect(await breaks()).toEqual([{ kind: 'record_lost', subject: 'user_1-2', detail: 'kyc_review' }]);
});
