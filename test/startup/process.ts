import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptOf } from '../../scripts/unpack-commit';
import { identify, type ProcessIdentity } from '../../src/startup/embedded/process-identity';
import { timed } from '../support/run/timed';

/** Starts the process of `npm start` for tests. */

const ROOT = join(__dirname, '../..');
export const START_MS = 240_000;
/** The line with all addresses. */
export const READY = /^\{.*"Cardwright is ready"\}$/m;

export interface Run {
  child: ChildProcess;
  /** Standard output and error so far. */
  text(): string;
  /** The exit code, or the signal. */
  ended: Promise<number | string | null>;
  /** The first match in the output. @throws Error when the process ends without it */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

const running = new Set<ChildProcess>();

export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Returns the embedded Postgres, Temporal and local chain of a data folder, by the process ids in its files. */
export async function embeddedServers(dataDir: string): Promise<ProcessIdentity[]> {
  const postmaster = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0];
  const pids = ['temporal.json', 'chain.json']
    .filter((name) => name !== 'chain.json' || existsSync(join(dataDir, name))) // CHAIN=off
    .map(
      (name) =>
        (JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as { server: { pid: number } }).server.pid,
    );
  const found = await Promise.all([Number(postmaster), ...pids].map(identify));
  return found.filter((one) => one !== undefined);
}

const nodeOf = (folder: string): readonly string[] => [
  process.execPath,
  ...typescriptOf(folder),
  'src/main.ts',
];

/**
 * Starts the product. Ports are free ones unless the environment names them. The product inherits only the variables of
 * this process that locate programs.
 * @param command before `args`, for instance `npm start --`
 * @param folder of another version of the product (scripts/unpack-commit.ts). Default: this checkout
 */
export function start(
  args: string[],
  environment: Record<string, string>,
  command?: readonly string[],
  folder = ROOT,
): Run {
  const [program = '', ...before] = command ?? nodeOf(folder);
  const inherited = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TEMPORAL_CLI_PATH'].map((name) => [
    name,
    process.env[name],
  ]);
  const child = spawn(program, [...before, ...args], {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      PORT: '0',
      METRICS_PORT: '0',
      TEMPORAL_UI_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    }),
  );
  return { child, text: () => output, ended, until };

  function until(pattern: RegExp): Promise<RegExpExecArray> {
    return timed('servers', () => told(pattern));
  }

  async function told(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + START_MS;
    for (;;) {
      const found = pattern.exec(output);
      if (found) return found;
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${pattern} did not come:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
