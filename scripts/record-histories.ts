import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { quiet, realTemporal, testBundle } from '../test/support/temporal';
import { historiesOf, RECORDINGS, type Recording } from '../test/workflows/recordings';
import { fileOf, HISTORIES } from '../test/workflows/recordings/history-events';
import { ACTIVITIES, play, type Stage, skippingStage } from '../test/workflows/recordings/player';
import { historyKeyring } from '../test/workflows/recordings/recording';
import { startWorkers } from '../workers/worker';

/**
 * Records histories for test/workflows/replay.test.ts: `node scripts/run.mjs scripts/record-histories.ts`. The script records only the missing
 * ones, because a kept history shows how runs of earlier versions look. A new path through a workflow is a new entry of
 * test/workflows/recordings. Names of recordings as arguments record these anew, and `--all` deletes and records all histories.
 * Both are right only before 1.0.0, or for paths that have not landed.
 */

/** With this limit a real server suggests continue-as-new after few events; the default is 4,096. */
const SUGGESTING = { 'limit.historyCount.suggestContinueAsNew': '20' };

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
      const histories = await play(stage, recording);
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
