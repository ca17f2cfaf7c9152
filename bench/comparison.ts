/** Result of one turn of `npm run bench -- authorization`, from its JSON line. */
export interface Turn {
  /** Processor time of one authorization in milliseconds. */
  apiMs: number;
  postgresMs: number;
  /** The load generator's own. NaN for a commit that did not tell it. */
  generatorMs: number;
  /** Authorizations per second. */
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Two turns, one after the other, in random order. */
export interface Pair {
  before: Turn;
  after: Turn;
}

export interface Comparison {
  measure: string;
  /** Medians over all pairs. */
  before: number;
  after: number;
  /** Median of the ratios within pairs, because a drifting machine moves both turns of a pair. */
  ratio: number;
  /** Number of pairs in which the later version is worse. */
  worse: number;
  /** Absent for measures that are only displayed. */
  verdict?: 'held' | 'slower';
}

interface Measure {
  name: string;
  of(turn: Turn): number;
  /** Whether a higher value is worse: true for milliseconds, false for authorizations per second. */
  isCost: boolean;
  isJudged: boolean;
}

const MEASURES: Measure[] = [
  { name: 'API and Postgres ms', of: (turn) => turn.apiMs + turn.postgresMs, isCost: true, isJudged: true },
  { name: 'API ms', of: (turn) => turn.apiMs, isCost: true, isJudged: false },
  { name: 'Postgres ms', of: (turn) => turn.postgresMs, isCost: true, isJudged: false },
  { name: 'authorizations/s', of: (turn) => turn.perSecond, isCost: false, isJudged: true },
  { name: 'p50 ms', of: (turn) => turn.p50, isCost: true, isJudged: false },
  { name: 'p99 ms', of: (turn) => turn.p99, isCost: true, isJudged: false },
];

/**
 * A version is slower when nine of ten pairs show it and the median differs by this share. Chance alone does that in
 * one of a hundred runs.
 */
const WORSE_PAIRS = 0.9;
const WORSE_BY = 0.05;

/** @returns a line for each measure */
export function compare(pairs: Pair[]): Comparison[] {
  return MEASURES.map((each) => {
    const { name, of, isJudged } = each;
    const ratios = ratiosOf(each, pairs);
    const ratio = median(ratios);
    const worse = ratios.filter((one) => isWorse(each, one)).length;
    const isSlower = isMuchWorse(each, ratio) && worse >= pairs.length * WORSE_PAIRS;
    return {
      measure: name,
      before: median(pairs.map(({ before }) => of(before))),
      after: median(pairs.map(({ after }) => of(after))),
      ratio,
      worse,
      ...(isJudged ? { verdict: isSlower ? ('slower' as const) : ('held' as const) } : {}),
    };
  });
}

/**
 * Whether the planned number of pairs can no longer show that the later version is slower. Too many pairs are not worse
 * then, or the median can no longer be much worse.
 */
export function isHeld(pairs: Pair[], planned: number): boolean {
  return MEASURES.filter(({ isJudged }) => isJudged).every((measure) => {
    const ratios = ratiosOf(measure, pairs);
    const notWorse = ratios.filter((ratio) => !isWorse(measure, ratio)).length;
    const notMuchWorse = ratios.filter((ratio) => !isMuchWorse(measure, ratio)).length;
    return planned - notWorse < planned * WORSE_PAIRS || notMuchWorse > planned / 2;
  });
}

const ratiosOf = ({ of }: Measure, pairs: Pair[]): number[] =>
  pairs.map(({ before, after }) => of(after) / of(before));

const isWorse = ({ isCost }: Measure, ratio: number): boolean => (isCost ? ratio > 1 : ratio < 1);

const isMuchWorse = ({ isCost }: Measure, ratio: number): boolean =>
  isCost ? ratio >= 1 + WORSE_BY : ratio <= 1 - WORSE_BY;

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  const lower = sorted.length % 2 === 0 ? upper - 1 : upper;
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2;
}
