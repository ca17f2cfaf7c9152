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
  return MEASURES.map(({ name, of, isCost, isJudged }) => {
    const ratios = pairs.map(({ before, after }) => of(after) / of(before));
    const ratio = median(ratios);
    const worse = ratios.filter((each) => (isCost ? each > 1 : each < 1)).length;
    const isMuchWorse = isCost ? ratio >= 1 + WORSE_BY : ratio <= 1 - WORSE_BY;
    const isSlower = isMuchWorse && worse >= pairs.length * WORSE_PAIRS;
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

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = Math.floor(sorted.length / 2);
  const lower = sorted.length % 2 === 0 ? upper - 1 : upper;
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2;
}
