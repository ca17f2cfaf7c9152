import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines, openLogFile } from './log-file';
import { identify, type ProcessIdentity, stillRuns } from './process-identity';

export interface DetachedServer {
  executable: string;
  args: readonly string[];
  /** Working directory of the server. */
  dataDir: string;
  logPath: string;
  /** File that the server writes once it has its port. A file of an earlier run is deleted first. */
  announcedAt: string;
  /** Whether the server's standard output is that file. Otherwise its arguments name the file. */
  announcesByOutput?: boolean;
  /**
   * Environment of the server, beside PATH, HOME and TZ. Other variables are not passed on, because they might change
   * its behaviour.
   */
  environment?: Record<string, string>;
  /** The user and group of the process. Absent: the present ones. */
  account?: { uid: number; gid: number } | undefined;
}

/**
 * Starts a server in its own process group, so that Ctrl-C in the terminal does not stop it before its users.
 * @throws Error with the reason why it does not start
 */
export async function spawnDetached(server: DetachedServer): Promise<ProcessIdentity> {
  const { executable, args, dataDir, logPath, announcedAt, announcesByOutput, environment, account } = server;
  const posix = process.platform !== 'win32';
  await rm(announcedAt, { force: true });
  const log = openLogFile(logPath);
  const output = announcesByOutput ? openSync(announcedAt, 'a', 0o600) : log;
  try {
    const child = spawn(executable, args, {
      ...account,
      cwd: dataDir,
      ...(posix ? { env: { PATH: '/usr/bin:/bin', HOME: dataDir, TZ: 'UTC', ...environment } } : {}),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, log],
    });
    const failed = new Promise<Error>((done) => child.once('error', done));
    child.unref();
    const found = child.pid === undefined ? undefined : await identify(child.pid);
    if (found) return found;
    const reason = child.pid === undefined ? (await failed).message : await lastLines(logPath);
    throw new Error(`${executable} does not start: ${reason}`);
  } finally {
    for (const file of new Set([log, output])) closeSync(file);
  }
}

/** Whether the server has its port. An answer at the port is no proof, because another process may have taken it. */
export const hasAnnounced = (announcedAt: string): Promise<boolean> =>
  stat(announcedAt).then(
    ({ size }) => size > 0,
    () => false,
  );

/** @returns whether it serves within that time; false as soon as it has died */
export async function becomesReady(
  server: ProcessIdentity,
  isServing: () => Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline && (await stillRuns(server))) {
    if (await isServing()) return stillRuns(server);
    await sleep(50);
  }
  return false;
}
