import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

/** The workflow of a release, for `test/workers/versions.test.ts`. */

const { note } = proxyActivities<{ note(step: string): Promise<void> }>({ startToCloseTimeout: '10s' });

export async function patchAsleep(): Promise<string> {
  return steps();
}

export async function patchAwake(): Promise<string> {
  return steps();
}

async function steps(): Promise<string> {
  let looks = 0;
  setHandler(defineSignal('look'), () => void (looks += 1));
  await note('first');
  await condition(() => looks > 0);
  await note('second');
  await condition(() => looks > 1);
  await note('third');
  return 'ended';
}
