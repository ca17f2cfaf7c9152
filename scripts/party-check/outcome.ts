/** One rule for a party, with the result of its check. */
export interface CheckResult {
  /** The operation, if any, and the rule, as `order.repeated`. */
  name: string;
  what: string;
  outcome: 'ok' | 'FAILED' | 'skipped';
  /** The unexpected answer, or the reason why the check was skipped. */
  why?: string;
  /** Consequence for money; only of a failed check. */
  money?: string;
}

export interface Check {
  name: string;
  what: string;
  /** Consequence for money of a failure. */
  money: string;
  /** @throws Failed; Skipped */
  run(): Promise<void>;
}

/** The party broke the rule. */
export class Failed extends Error {
  override name = 'Failed';
}

/** The check could not run. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** Runs the checks in order, because later checks use the records of earlier ones. */
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

/** Returns a value of an earlier check. @throws Skipped when it is absent */
export function needed<T>(value: T | undefined, why: string): T {
  if (value === undefined) throw new Skipped(why);
  return value;
}
