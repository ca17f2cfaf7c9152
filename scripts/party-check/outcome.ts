/** One thing that a party must do, as its report tells it. */
export interface CheckResult {
  /** `order.repeated`: the operation, where it is about one, and what is tried. */
  name: string;
  what: string;
  outcome: 'ok' | 'FAILED' | 'skipped';
  /** What came instead, or why it was not tried. */
  why?: string;
  /** Of one that failed. */
  money?: string;
}

export interface Check {
  name: string;
  what: string;
  /** What it would mean for money if it failed. */
  money: string;
  /** @throws Failed; Skipped */
  run(): Promise<void>;
}

/** The party did something else than it must. */
export class Failed extends Error {
  override name = 'Failed';
}

/** It could not be tried. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** One after the other, for later ones go by what earlier ones have made. */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const result = await resultOf(check);
    results.push(result);
    onResult(result);
  }
  return results;
}

async function resultOf({ name, what, money, run }: Check): Promise<CheckResult> {
  try {
    await run();
    return { name, what, outcome: 'ok' };
  } catch (error) {
    if (error instanceof Skipped) return { name, what, outcome: 'skipped', why: error.message };
    if (error instanceof Failed) return { name, what, outcome: 'FAILED', why: error.message, money };
    throw error;
  }
}

/** What an earlier check has made. @throws Skipped when it has not */
export function needed<T>(value: T | undefined, why: string): T {
  if (value === undefined) throw new Skipped(why);
  return value;
}
