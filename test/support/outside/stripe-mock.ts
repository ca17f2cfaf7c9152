import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/startup/embedded/ports';
import { runTool } from '../../../src/startup/embedded/run-tool';
import { findOnPath } from '../../../src/startup/embedded/temporal/binary';
import { firstOf, installInto, type ToolContext } from '../../../src/startup/embedded/tool-cache';
import { toolContext } from '../servers';

/** Stripe's own mock of its API. It checks requests by the published description and returns fixed answers. */

const GO_PACKAGE = 'github.com/stripe/stripe-mock@v0.203.0';
const GO_BUILD_MS = 10 * 60_000;
const FOLDER = 'stripe-mock';
const EXE = process.platform === 'win32' ? '.exe' : '';

/**
 * Finds stripe-mock on the PATH or in the user's cache, or builds it by `go install`.
 * @throws Error that lists the attempts
 */
export function stripeMockExecutable(context: ToolContext = toolContext()): Promise<string> {
  const { environment, cacheDir } = context;
  const cached = join(cacheDir, FOLDER, `stripe-mock${EXE}`);
  return firstOf(
    'stripe-mock',
    [
      () => findOnPath('stripe-mock', environment),
      async () => (existsSync(cached) ? cached : undefined),
      (reasons) => built(context, cached, reasons),
    ],
    'Install it (https://github.com/stripe/stripe-mock) so that "stripe-mock" is on the PATH.',
  );
}

async function built(
  { environment, cacheDir, onProgress }: ToolContext,
  place: string,
  reasons: string[],
): Promise<string | undefined> {
  const go = await findOnPath('go', environment);
  if (!go) {
    reasons.push('go install: no "go" on the PATH');
    return undefined;
  }
  const line = 'Building stripe-mock with Go (once)';
  onProgress?.(line);
  try {
    await installInto(cacheDir, FOLDER, async (fresh) => {
      const withBin = { ...environment, GOBIN: fresh, CGO_ENABLED: '0' };
      const progress = { line, show: onProgress };
      await runTool(go, ['install', GO_PACKAGE], { environment: withBin, timeoutMs: GO_BUILD_MS, progress });
    });
    return place;
  } catch (error) {
    reasons.push(`go install: ${(error as Error).message}`);
    return undefined;
  }
}

export interface StripeMock {
  port: number;
  close(): Promise<void>;
}

/** Time limit of the start in milliseconds, because the mock reads a description of many megabytes first. */
const START_MS = 60_000;

export async function startStripeMock(executable: string): Promise<StripeMock> {
  const port = await freePort();
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
