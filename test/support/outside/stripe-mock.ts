import { type ChildProcess, spawn } from 'node:child_process';
import type { ToolContext } from '../../../src/startup/embedded/tool-cache';
import { ownPort } from '../own-port';
import { toolContext } from '../servers';
import { goProgram } from './go-program';

/** Stripe's own mock of its API. It checks requests by the published description and returns fixed answers. */

const STRIPE_MOCK = {
  name: 'stripe-mock',
  goPackage: 'github.com/stripe/stripe-mock@v0.203.0',
  home: 'https://github.com/stripe/stripe-mock',
};

/** @throws Error as {@link goProgram} */
export const stripeMockExecutable = (context: ToolContext = toolContext()): Promise<string> =>
  goProgram(STRIPE_MOCK, context);

export interface StripeMock {
  port: number;
  close(): Promise<void>;
}

/** Time limit of the start in milliseconds, because the mock reads a description of many megabytes first. */
const START_MS = 60_000;

export async function startStripeMock(executable: string): Promise<StripeMock> {
  const port = await ownPort();
  const child = spawn(executable, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  await untilListens(child, port);
  return {
    port,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilListens(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`stripe-mock ended with ${child.exitCode}`);
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('stripe-mock does not listen');
}
