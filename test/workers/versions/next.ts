import { condition, defineSignal, patched, proxyActivities, setHandler } from '@temporalio/workflow';

/** The workflow of the next release: it does more behind a patch. */

const { note } = proxyActivities<{ note(step: string): Promise<void> }>({ startToCloseTimeout: '10s' });

/** A patch that no release has brought yet. */
export async function patchAsleep(): Promise<string> {
  return steps('of-the-next-release');
}

/** A patch that an earlier release has brought, by `workers/patches.ts`. */
export async function patchAwake(): Promise<string> {
  return steps('forget-old-events');
}

async function steps(patch: string): Promise<string> {
  let looks = 0;
  setHandler(defineSignal('look'), () => void (looks += 1));
  await note('first');
  await condition(() => looks > 0);
  if (patched(patch)) await note('more');
  await note('second');
  await condition(() => looks > 1);
  await note('third');
  return 'ended';
}
