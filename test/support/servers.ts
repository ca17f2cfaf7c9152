import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedLog } from '../../src/startup/embedded/log-file';
import { type EmbeddedPostgres, startPostgres } from '../../src/startup/embedded/postgres/server';
import { writeState } from '../../src/startup/embedded/state-file';
import { temporalExecutable } from '../../src/startup/embedded/temporal/binary';
import {
  type EmbeddedTemporal,
  startTemporal,
  type TemporalOptions,
} from '../../src/startup/embedded/temporal/server';
import { defaultCacheDir, type ToolContext } from '../../src/startup/embedded/tool-cache';
import { ownPort } from './own-port';
import { timed } from './run/timed';
import { testServerExecutable } from './temporal-test-server';

/** Starts real servers for tests. Each has its own folder, which is removed with it. */

export const quietLog: EmbeddedLog = { info: () => undefined, warn: () => undefined };

/** Tools are fetched once for each user and kept. Fetching is shown, because it may take minutes. */
export function toolContext(): ToolContext {
  return {
    environment: process.env,
    cacheDir: defaultCacheDir(process.env),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  };
}

/** A folder in memory on Linux. Servers there keep their durable settings and wait for no disk. */
const IN_MEMORY = '/dev/shm';
/** Bytes that must be free in the folder and in memory, so that remains of killed runs do not use all of it. */
const ROOM = 8 * 1024 ** 3;

export function temporaryFolder(name = 'test'): string {
  return mkdtempSync(join(hasRoom() ? IN_MEMORY : tmpdir(), `cardwright-${name}-`));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > ROOM && freemem() > ROOM;
  } catch {
    return false; // other systems have no such folder
  }
}

/**
 * Gives the servers of a data folder their own first ports. By default two servers that start together want the same
 * ports, and a killed server may find that another one has taken its port.
 */
export async function giveOwnPorts(dataDir: string): Promise<void> {
  const [port, uiPort, chainPort] = [await ownPort(), await ownPort(), await ownPort()];
  await writeState(join(dataDir, 'temporal.json'), { port, uiPort });
  await writeState(join(dataDir, 'chain.json'), { port: chainPort });
}

/** Starts Postgres on disk, as durable as in production. `stop` removes its data. */
export async function startTestPostgres(
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres & { dataDir: string }> {
  const dataDir = temporaryFolder();
  const server = await timed('servers', () => startPostgres({ dataDir, log: quietLog, settings }));
  return { ...server, dataDir, stop: () => stopAndRemove(server, dataDir) };
}

/** Starts the real Temporal server on ports that no `npm start` on this machine uses. `stop` removes its data. */
export async function startTestTemporal(
  options: Partial<TemporalOptions> = {},
): Promise<EmbeddedTemporal & { dataDir: string }> {
  const dataDir = temporaryFolder();
  const executable = await temporalExecutable(toolContext());
  const defaults = { dataDir, executable, searchAttributes: {}, log: quietLog, port: 0, uiPort: 0 };
  const server = await timed('servers', () => startTemporal({ ...defaults, ...options }));
  return { ...server, dataDir, stop: () => stopAndRemove(server, dataDir) };
}

/** For `TestWorkflowEnvironment.createTimeSkipping({ server: await timeSkippingServer() })`. */
export async function timeSkippingServer(): Promise<{
  executable: { type: 'existing-path'; path: string };
}> {
  return { executable: { type: 'existing-path', path: await testServerExecutable(toolContext()) } };
}

/** Starts a process that runs one embedded server, for tests that kill it. */
export async function startKeeper(
  kind: 'postgres' | 'temporal' | 'chain',
  dataDir: string,
  executable = '',
): Promise<{ process: ChildProcess; url?: string; address?: string; pid: number }> {
  const script = join(__dirname, 'embedded-process.ts');
  const args = ['--require', './scripts/typescript.cjs', script, kind, dataDir, executable];
  const child = spawn(process.execPath, args, {
    cwd: join(__dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    let errors = '';
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8');
    });
    child.once('exit', (code) => reject(new Error(`the keeper ended with ${code}: ${errors}`)));
  });
  return { process: child, ...(JSON.parse(line) as { url?: string; address?: string; pid: number }) };
}

/** Sends SIGKILL and waits until the process has ended. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

async function stopAndRemove(server: { stop(): Promise<void> }, dataDir: string): Promise<void> {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
