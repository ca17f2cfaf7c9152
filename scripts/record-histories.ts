import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { LOOK } from '../src/kernel/temporal/signals';
import { timeSkipping } from '../test/support/temporal';
import { nameOf, RECORDINGS, type Recording } from '../test/workflows/recordings';

/**
 * Records histories for test/workflows/replay.test.ts: `npx tsx scripts/record-histories.ts`. What is there is kept, for it
 * shows what running processes look like that began under earlier versions; a new way through a workflow is a new entry
 * of test/workflows/recordings.ts. With names as arguments it records those anew, which is right only before they have landed.
 */

const FOLDER = join(__dirname, '../test/histories');
const fileOf = (recording: Recording) => join(FOLDER, `${nameOf(recording)}.json`);

/** Activities that answer as the recording says, and end it when they have nothing more to say. */
function answering({ answers }: Recording): Record<string, () => Promise<unknown>> {
  const steps = Object.entries(answers).map(([name, given]) => {
    const left = [...given];
    const step = async () => {
      if (left.length === 0) throw ApplicationFailure.nonRetryable('the recording has ended');
      const answer = left.shift();
      if (typeof answer === 'string' && answer.startsWith('!'))
        throw ApplicationFailure.create({ type: answer.slice(1), message: answer.slice(1) });
      return answer;
    };
    return [name, step] as const;
  });
  return Object.fromEntries(steps);
}

/** The history of its first run. */
async function record(client: Client, recording: Recording): Promise<string> {
  const { workflow, args, told } = recording;
  const options = { workflowId: nameOf(recording), taskQueue: queueOf(workflow), args };
  const handle = told
    ? await client.workflow.signalWithStart(workflow, { ...options, signal: LOOK })
    : await client.workflow.start(workflow, options);
  const runId = 'signaledRunId' in handle ? handle.signaledRunId : handle.firstExecutionRunId;
  await handle.result().catch(() => undefined); // one that runs for ever is ended in its second run
  return historyToJSON(await client.workflow.getHandle(options.workflowId, runId).fetchHistory());
}

const queueOf = (workflow: string) => (workflow.startsWith('webhook') ? 'webhooks' : 'processes');

/** Without names of the machine that recorded it. */
function scrubbed(history: string): string {
  const value: unknown = JSON.parse(history, (key, held: unknown) => {
    if (key === 'identity') return 'recorder';
    return key === 'stackTrace' ? '' : held;
  });
  return `${JSON.stringify(value)}\n`;
}

async function main(names: string[]): Promise<void> {
  const wanted = RECORDINGS.filter((each) => names.includes(nameOf(each)) || !existsSync(fileOf(each)));
  await mkdir(FOLDER, { recursive: true });
  const temporal = await timeSkipping();
  try {
    for (const recording of wanted) {
      const history = await temporal.withWorkers(answering(recording), (client) => record(client, recording));
      await writeFile(fileOf(recording), scrubbed(history));
      process.stdout.write(`${nameOf(recording)}\n`);
    }
  } finally {
    await temporal.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
