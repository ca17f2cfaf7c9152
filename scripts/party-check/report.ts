import type { CheckResult } from './outcome';

/** One line for a check. A failed check also shows the answer and its consequence for money. */
export function lineOf({ name, what, outcome, why, money }: CheckResult): string {
  const line = `${outcome.padEnd(8)}${name.padEnd(24)}${what}`;
  if (outcome === 'skipped') return `${line} – ${why}`;
  return outcome === 'ok' ? line : `${line}\n${' '.repeat(8)}${why}\n${' '.repeat(8)}For money: ${money}`;
}

export interface Counts {
  ok: number;
  failed: number;
  skipped: number;
}

export function countsOf(results: readonly CheckResult[]): Counts {
  const count = (outcome: CheckResult['outcome']) => results.filter((one) => one.outcome === outcome).length;
  return { ok: count('ok'), failed: count('FAILED'), skipped: count('skipped') };
}

export const summaryOf = ({ ok, failed, skipped }: Counts): string =>
  `${ok} ok, ${failed} FAILED, ${skipped} skipped`;
