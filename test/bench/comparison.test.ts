import { compare, isHeld, median, type Pair, type Turn } from '../../bench/comparison';

const TURN: Turn = { apiMs: 0.3, postgresMs: 0.15, generatorMs: 0.05, perSecond: 2_000, p50: 9, p99: 20 };

/** Makes pairs of two versions whose costs differ by these factors. */
const pairs = (...factors: number[]): Pair[] =>
  factors.map((factor) => ({
    before: TURN,
    after: {
      generatorMs: TURN.generatorMs,
      apiMs: TURN.apiMs * factor,
      postgresMs: TURN.postgresMs * factor,
      perSecond: TURN.perSecond / factor,
      p50: TURN.p50 * factor,
      p99: TURN.p99 * factor,
    },
  }));

const verdictsOf = (given: Pair[]) =>
  Object.fromEntries(compare(given).flatMap(({ measure, verdict }) => (verdict ? [[measure, verdict]] : [])));

describe('the comparison of two versions', () => {
  it('judges processor time and throughput, and shows the others', () => {
    expect(verdictsOf(pairs(1))).toEqual({ 'API and Postgres ms': 'held', 'authorizations/s': 'held' });
    expect(compare(pairs(1)).map(({ measure }) => measure)).toContain('p99 ms');
  });

  it('calls a version slower when it is worse in nine of ten pairs and by 5 % in the median', () => {
    expect(verdictsOf(pairs(0.9, ...Array.from({ length: 9 }, () => 1.08)))).toEqual({
      'API and Postgres ms': 'slower',
      'authorizations/s': 'slower',
    });
  });

  it('accepts a version that is worse in eight of ten pairs', () => {
    expect(Object.values(verdictsOf(pairs(0.9, 0.9, ...Array.from({ length: 8 }, () => 1.3))))).toEqual([
      'held',
      'held',
    ]);
  });

  it('accepts a version that is worse in all pairs by less than 5 %', () => {
    expect(Object.values(verdictsOf(pairs(...Array.from({ length: 10 }, () => 1.04))))).toEqual([
      'held',
      'held',
    ]);
  });

  it('compares within pairs, so that a drifting machine does not matter', () => {
    const drifting = pairs(...Array.from({ length: 10 }, () => 1)).map(({ before, after }, index) => ({
      before: { ...before, apiMs: before.apiMs * (1 + index), postgresMs: before.postgresMs * (1 + index) },
      after: { ...after, apiMs: after.apiMs * (1 + index), postgresMs: after.postgresMs * (1 + index) },
    }));
    expect(compare(drifting)[0]).toMatchObject({ ratio: 1, worse: 0 });
  });

  it.each([
    ['two of ten planned pairs are not worse', [1.3, 1, 0.9], true],
    ['one of them is not worse', [1.3, 1.3, 0.9], false],
    ['six are worse by less than 5 %', [1.04, 1.04, 1.04, 1.04, 1.04, 1.04], true],
    ['five are worse by less than 5 %', [1.04, 1.04, 1.04, 1.04, 1.04, 1.3], false],
  ])('knows before the end whether a version can still be slower: %s', (_case, factors, held) => {
    const given = pairs(...factors);
    expect(isHeld(given, 10)).toBe(held);
    const worst = [...given, ...pairs(...Array.from({ length: 10 - given.length }, () => 1.3))];
    expect(Object.values(verdictsOf(worst)).includes('slower')).toBe(!held);
  });

  it('takes the middle of an odd number, and the mean of the two middle ones of an even number', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});
