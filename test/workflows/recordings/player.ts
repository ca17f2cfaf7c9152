import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { LOOK } from '../../../src/kernel/temporal/signals';
import { timeSkipping } from '../../support/temporal';
import { until } from '../../support/until';
import { RECORDINGS, type Recording } from '.';
import { eventsOf, hasSignalInWait, isCompleted, isLaterRun, isWaiting } from './history-events';
import type { ClockedAnswer } from './recording';

/** Plays recordings: workflows whose activities answer as the recordings say. */

/** The server and the workers that play recordings. */
export interface Stage {
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

/** Every activity of the recordings. */
export const ACTIVITIES = Object.fromEntries(
  RECORDINGS.flatMap(({ answers, secondRun }) => Object.keys({ ...answers, ...secondRun?.answers })).map(
    (activity) => [activity, () => answer(activity)],
  ),
);

/** Starts the server on which time is skipped. */
export async function skippingStage(): Promise<Stage> {
  const temporal = await timeSkipping();
  await temporal.keepWorkers(ACTIVITIES);
  return { client: temporal.client, now: () => temporal.env.currentTimeMs(), close: () => temporal.close() };
}

const queueOf = (workflow: string) => (workflow.startsWith('webhook') ? 'webhooks' : 'processes');

/** Plays a recording. @returns its histories, in the order of `historiesOf` */
export async function play(stage: Stage, recording: Recording): Promise<string[]> {
  const { workflow, name, args, look, secondRun } = recording;
  const played: Play = { recording, now: stage.now, calls: new Map() };
  plays.set(name, played);
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
    const calls = () => [...played.calls.values()].reduce((sum, count) => sum + count, 0);
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
