/** What the process needs, each asked by a function that throws, or says false, when it does not answer. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

export interface Readiness {
  status: 'ok' | 'unavailable';
  /** `up` or `down`, by name: `postgres`, `temporal`. */
  checks: Record<string, 'up' | 'down'>;
}

const ANSWER_MS = 2_000;
/** Anybody may ask: however many do, each part is asked once a second at most. */
const BELIEVED_MS = 1_000;

/** Asks every part at once; one that takes longer than two seconds is down. */
export function createReadiness(checks: ReadinessChecks, now: () => number = () => performance.now()) {
  let last: { at: number; answer: Promise<Readiness> } | undefined;
  return function readiness(): Promise<Readiness> {
    if (!last || now() - last.at >= BELIEVED_MS) last = { at: now(), answer: askAll(checks) };
    return last.answer;
  };
}

async function askAll(checks: ReadinessChecks): Promise<Readiness> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, ask]) => [name, (await answers(ask)) ? 'up' : 'down'] as const),
  );
  const allUp = entries.every(([, state]) => state === 'up');
  return { status: allUp ? 'ok' : 'unavailable', checks: Object.fromEntries(entries) };
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MS);
  });
  const asked = ask().then(
    (answer) => answer !== false,
    () => false,
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
