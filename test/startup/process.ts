import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The very process that `npm start` runs, for tests of it. */

const ROOT = join(__dirname, '../..');
export const START_MS = 120_000;

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

/** Ports are free ones unless the environment names others; of this process's environment only what finds programs. */
export function start(args: string[], environment: Record<string, string>): Run {
  const inherited = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TEMPORAL_CLI_PATH'].map((name) => [
    name,
    process.env[name],
  ]);
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', ...args], {
    cwd: ROOT,
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

  async function until(pattern: RegExp): Promise<RegExpExecArray> {
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
