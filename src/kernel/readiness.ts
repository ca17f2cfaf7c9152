/** Checks by part. A part is down when its check throws or returns false. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

export interface ReadinessParts {
  /** The process is not ready unless all of these are up. */
  needed: ReadinessChecks;
  /** Needed until all of them were up once. Afterwards the answer only names them. */
  first?: ReadinessChecks;
  /** The answer only names these. */
  named?: ReadinessChecks;
}

export interface Readiness {
  /** `ending`: the process was told to stop. It still serves, but must get no new work. */
  state: 'ready' | 'not_ready' | 'ending';
  /** State of `postgres`, `temporal`, `workers` … */
  checks: Record<string, 'up' | 'down'>;
}

export interface ReadinessGate {
  ask(): Promise<Readiness>;
  /** Makes the state `ending` for good. */
  end(): void;
}

const ANSWER_MS = 2_000;
/** Lifetime of an answer, because anybody may probe. Each part is checked at most once a second. */
const BELIEVED_MS = 1_000;

/** Runs all checks at once. A check that takes longer than two seconds counts as down. */
export function createReadiness(
  { needed, first = {}, named = {} }: ReadinessParts,
  now: () => number = () => performance.now(),
): ReadinessGate {
  let last: { at: number; answer: Promise<Readiness> } | undefined;
  let begun = false;
  let ended = false;

  async function look(): Promise<Readiness> {
    const checks = await askAll({ ...needed, ...first, ...named });
    const areUp = (parts: ReadinessChecks) => Object.keys(parts).every((name) => checks[name] === 'up');
    begun ||= areUp(first) && areUp(needed);
    return { state: begun && areUp(needed) ? 'ready' : 'not_ready', checks };
  }

  return {
    async ask() {
      if (!last || now() - last.at >= BELIEVED_MS) last = { at: now(), answer: look() };
      const { state, checks } = await last.answer;
      return { state: ended ? 'ending' : state, checks };
    },
    end() {
      ended = true;
    },
  };
}

/** Answer of `GET /health/ready` (decisions part 1). */
export function readinessAnswer(
  { state, checks }: Readiness,
  requestId: string,
): { status: number; body: object; headers: Record<string, string> } {
  if (state === 'ready') return { status: 200, body: { status: 'ok', checks }, headers: {} };
  const body = { code: 'unavailable', message: messageOf(state, checks), requestId, checks };
  return { status: 503, body, headers: { 'retry-after': '2' } };
}

function messageOf(state: Readiness['state'], checks: Readiness['checks']): string {
  if (state === 'ending') return 'The process is stopping.';
  const down = Object.keys(checks).filter((name) => checks[name] === 'down');
  return `The process is not ready: ${down.map((name) => WHY[name] ?? `${name} does not answer`).join(', ')}.`;
}

const WHY: Record<string, string> = { workers: 'workers do not poll yet' };

async function askAll(checks: ReadinessChecks): Promise<Readiness['checks']> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, ask]) => [name, (await answers(ask)) ? 'up' : 'down'] as const),
  );
  return Object.fromEntries(entries);
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
