import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { LOOK } from '../src/kernel/temporal/signals';
import { quiet, realTemporal, testBundle, timeSkipping } from '../test/support/temporal';
import { until } from '../test/support/until';
import { historiesOf, RECORDINGS, type Recording } from '../test/workflows/recordings';
import {
  eventsOf,
  fileOf,
  HISTORIES,
  hasSignalInWait,
  isCompleted,
  isLaterRun,
  isWaiting,
} from '../test/workflows/recordings/history-events';
import { type ClockedAnswer, historyKeyring } from '../test/workflows/recordings/recording';
import { startWorkers } from '../workers/worker';

/**
 * Records histories for test/workflows/replay.test.ts: `npx tsx scripts/record-histories.ts`. The script records only the missing
 * ones, because a kept history shows how runs of earlier versions look. A new path through a workflow is a new entry of
 * test/workflows/recordings. Names of recordings as arguments record these anew, and `--all` deletes and records all histories.
 * Both are right only before 1.0.0, or for paths that have not landed.
 */

/** With this limit a real server suggests continue-as-new after few events; the default is 4,096. */
const SUGGESTING = { 'limit.historyCount.suggestContinueAsNew': '20' };

/** The server and the workers that play recordings. */
interface Stage {
  client: Client;
  /** The server's clock, in milliseconds. */
  now(): Promise<number>;
  close(): Promise<void>;
}

/** A recording in progress. */
interface Play {
  recording: Recording;
  now: Stage['now'];
  firstRun?: string;
  /** Number of calls of each activity by the run. */
  calls: Map<string, number>;
}

/** Recordings in progress by name. */
const plays = new Map<string, Play>();

async function answer(activity: string): Promise<unknown> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? {};
  const play = plays.get(workflowId ?? '');
  if (!play) throw ApplicationFailure.nonRetryable(`${workflowId} is not being recorded`);
  const { recording, calls } = play;
  play.firstRun ??= runId;
  const isFirst = runId === play.firstRun;
  const key = `${runId}/${activity}`;
  const call = calls.get(key) ?? 0;
  calls.set(key, call + 1);
  const answers = (isFirst ? recording.answers : recording.secondRun?.answers)?.[activity] ?? [];
  const repeats = isFirst && recording.secondRun !== undefined;
  const given = call >= answers.length && repeats ? answers.length - 1 : call;
  if (!(given in answers)) throw withoutStack(ApplicationFailure.nonRetryable('the recording has ended'));
  const said = answers[given];
  if (typeof said === 'string' && said.startsWith('!'))
    throw withoutStack(ApplicationFailure.create({ type: said.slice(1), message: said.slice(1) }));
  return typeof said === 'function' ? (said as ClockedAnswer)(await play.now()) : said;
}

/** Removes the stack, because it names paths of this machine and an encrypted one cannot be scrubbed. */
function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}

const ACTIVITIES = Object.fromEntries(
  RECORDINGS.flatMap(({ answers, secondRun }) => Object.keys({ ...answers, ...secondRun?.answers })).map(
    (activity) => [activity, () => answer(activity)],
  ),
);

async function skippingStage(): Promise<Stage> {
  const temporal = await timeSkipping();
  await temporal.keepWorkers(ACTIVITIES);
  return { client: temporal.client, now: () => temporal.env.currentTimeMs(), close: () => temporal.close() };
}

/** Starts the product's client and workers on a real server. */
async function realStage(encrypt: boolean): Promise<Stage> {
  const temporal = await realTemporal({ encrypt, keyring: historyKeyring(), dynamicConfig: SUGGESTING });
  const bundle = await testBundle(encrypt);
  const workers = startWorkers({
    temporal: temporal.options,
    keyring: temporal.keyring,
    activities: ACTIVITIES,
    log: quiet,
    dataDir: tmpdir(),
    shutdownSeconds: 10,
    ...('codePath' in bundle ? { bundlePath: bundle.codePath } : {}),
  });
  return {
    client: temporal.client,
    now: async () => Date.now(),
    async close() {
      await workers.shutdown();
      await temporal.close();
    },
  };
}

type StageName = 'skipping' | 'real' | 'encrypted';
const STAGES: Record<StageName, () => Promise<Stage>> = {
  skipping: skippingStage,
  real: () => realStage(false),
  encrypted: () => realStage(true),
};

function stageOf({ encrypted, secondRun }: Recording): StageName {
  if (encrypted) return 'encrypted';
  return secondRun?.after === 'server-suggests' ? 'real' : 'skipping';
}

const queueOf = (workflow: string) => (workflow.startsWith('webhook') ? 'webhooks' : 'processes');

/** Plays a recording. @returns its histories, in the order of `historiesOf` */
async function record(stage: Stage, recording: Recording): Promise<string[]> {
  const { workflow, name, args, look, secondRun } = recording;
  const play: Play = { recording, now: stage.now, calls: new Map() };
  plays.set(name, play);
  const { client } = stage;
  const options = { workflowId: name, taskQueue: queueOf(workflow), args };
  const handle =
    look === 'with-start'
      ? await client.workflow.signalWithStart(workflow, { ...options, signal: LOOK })
      : await client.workflow.start(workflow, options);
  const firstRun = 'signaledRunId' in handle ? handle.signaledRunId : handle.firstExecutionRunId;
  const historyOf = async (runId?: string) =>
    historyToJSON(await client.workflow.getHandle(name, runId).fetchHistory());
  if (typeof look === 'object') {
    const calls = () => [...play.calls.values()].reduce((sum, count) => sum + count, 0);
    await until(async () => calls() >= look.afterAnswers && isWaiting(eventsOf(await historyOf(firstRun))));
    await handle.signal(LOOK);
  }
  await handle.result().catch(() => undefined); // an endless workflow fails when no answers are left
  const [first, last] = [await historyOf(firstRun), await historyOf()];
  if (!recording.endless && !isCompleted(eventsOf(last))) throw new Error(`${name} did not complete`);
  if (typeof look === 'object' && !hasSignalInWait(eventsOf(first)))
    throw new Error(`${name}: the signal did not come in a wait`);
  if (isLaterRun(eventsOf(last)) !== (secondRun !== undefined))
    throw new Error(`${name}: the recording has another number of runs`);
  if (!secondRun) return [first];
  return secondRun.after === 'many-looks' ? [last] : [first, last];
}

/** Removes the recording machine's name. */
function scrubbed(history: string): string {
  const value: unknown = JSON.parse(history, (key, held: unknown) => {
    if (key === 'identity') return 'recorder';
    if (key === 'stackTrace') return '';
    const isSticky = (held as { kind?: string } | null)?.kind === 'TASK_QUEUE_KIND_STICKY';
    return isSticky ? { ...(held as object), name: 'sticky' } : held;
  });
  return `${JSON.stringify(value)}\n`;
}

async function recordOn(name: StageName, recordings: Recording[]): Promise<void> {
  if (recordings.length === 0) return;
  const stage = await STAGES[name]();
  try {
    for (const recording of recordings) {
      const histories = await record(stage, recording);
      for (const [place, history] of historiesOf(recording).entries()) {
        await writeFile(fileOf(history), scrubbed(histories[place] ?? ''));
        process.stdout.write(`${history}\n`);
      }
    }
  } finally {
    await stage.close();
  }
}

async function main(given: string[]): Promise<void> {
  const unknown = given.filter((name) => name !== '--all' && !RECORDINGS.some((each) => each.name === name));
  if (unknown.length > 0) throw new Error(`There is no recording ${unknown.join(', ')}.`);
  if (given.includes('--all')) await rm(HISTORIES, { recursive: true, force: true });
  await mkdir(HISTORIES, { recursive: true });
  const wanted = RECORDINGS.filter(
    (each) => given.includes(each.name) || historiesOf(each).some((history) => !existsSync(fileOf(history))),
  );
  for (const name of Object.keys(STAGES) as StageName[])
    await recordOn(
      name,
      wanted.filter((each) => stageOf(each) === name),
    );
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
