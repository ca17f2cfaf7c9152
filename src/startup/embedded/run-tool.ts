import { spawn } from 'node:child_process';
import type { OnProgress } from './log-file';

const SHOW_EVERY_MS = 10_000;
const KEPT_OUTPUT = 2_000;

export interface RunOptions {
  environment: NodeJS.ProcessEnv;
  cwd?: string;
  /** Time limit in milliseconds. */
  timeoutMs: number;
  /** Shown every ten seconds with the seconds passed. */
  progress?: { line: string; show?: OnProgress };
}

/**
 * Runs a program to its end.
 * @returns the last 2,000 characters of its output
 * @throws Error with that output when the program is missing, fails or takes too long
 */
export function runTool(command: string, args: string[], options: RunOptions): Promise<string> {
  const began = Date.now();
  const { progress } = options;
  const timer = setInterval(() => {
    if (progress) progress.show?.(`${progress.line} … ${Math.round((Date.now() - began) / 1_000)} s`);
  }, SHOW_EVERY_MS);
  let patience: NodeJS.Timeout | undefined;
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, {
      env: options.environment,
      cwd: options.cwd,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Replaces spawn's `timeout`, whose timer lives on when the program could not be started.
    patience = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${command} ended with ${signal ?? code}: ${output.trim()}`));
    });
  }).finally(() => {
    clearInterval(timer);
    clearTimeout(patience);
  });
}
