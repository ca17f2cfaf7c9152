import { ApplicationFailure } from '@temporalio/common';
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { Progress } from '../../src/transfers/engine/advance';
import { follow } from '../../workflows/support/follow';
import { listenForLooks } from '../../workflows/support/look-signal';
import { showing } from '../../workflows/support/status';

/** Workflows for the tests of `workflows/support`. */

interface Record {
  read(): Promise<string>;
  echo(text: string): Promise<string>;
  refuse(text: string): Promise<void>;
  advance(id: string): Promise<Progress>;
}

const { advance, read, echo, refuse } = proxyActivities<Record>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 2, initialInterval: '1 second' },
});

/** Reads its record after each signal, or after a day, until the record is final. @returns all readings */
export async function followsRecord(): Promise<string[]> {
  const looks = listenForLooks();
  const show = showing('record');
  const seen: string[] = [];
  for (;;) {
    const status = await read();
    seen.push(status);
    show.status(status, `Waits while the record is ${status}`);
    if (status === 'final') return seen;
    if (!(await looks.within(24 * 60 * 60_000, 'looks again in 1 d'))) seen.push('a day has passed');
  }
}

/** Waits an hour, so that several signals come before its look. */
export async function coalescesLooks(): Promise<{ rounds: number; waiting: boolean }> {
  const looks = listenForLooks();
  await sleep('1 hour');
  const waiting = looks.waiting();
  await looks.next();
  return { rounds: (await looks.within(1_000, 'looks again in 1 s')) ? 2 : 1, waiting };
}

export async function echoes(text: string): Promise<string> {
  return echo(text);
}

export async function isRefused(text: string): Promise<void> {
  await refuse(text);
}

export async function throwsItself(text: string): Promise<void> {
  throw ApplicationFailure.nonRetryable(text);
}

export async function followsTransfer(id: string): Promise<string> {
  return follow(id, advance, {});
}
