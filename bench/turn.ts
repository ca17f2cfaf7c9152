import { execFileSync } from 'node:child_process';
import { typescriptOf } from '../scripts/unpack-commit';
import type { Turn } from './comparison';

/**
 * Runs one turn of `npm run bench -- authorization`.
 * @param folder the checkout that is measured
 * @param environment variables of the turn, such as BENCH_APIS
 * @throws Error when the turn failed
 */
export function runTurn(folder: string, environment: Record<string, string> = {}): Turn {
  const output = execFileSync(process.execPath, [...typescriptOf(folder), 'bench/main.ts', 'authorization'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const line = output.trim().split('\n').at(-1) ?? '';
  const turn = JSON.parse(line) as Partial<Record<keyof Turn, string | number>>;
  return {
    apiMs: Number(turn.apiMs),
    postgresMs: Number(turn.postgresMs),
    generatorMs: Number(turn.generatorMs),
    perSecond: Number(turn.perSecond),
    p50: Number(turn.p50),
    p99: Number(turn.p99),
  };
}
