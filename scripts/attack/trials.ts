import { isDeepStrictEqual } from 'node:util';
import type { Told } from '../../test/support/ask';
import { randomOf } from '../processor/scenarios';

/** The right answer of a case. */
export interface Expected {
  status: number | readonly number[];
  code?: string;
  /** Part of the error's message. */
  says?: string;
}

export interface Failure {
  section: string;
  /** The operation, and the fault of the request. */
  what: string;
  wanted: string;
  got: string;
}

/** The cases of one section. */
export interface Tried {
  section: string;
  cases: number;
  /** Cases that the product refused as it must. */
  refused: number;
  failures: Failure[];
}

export interface Trials {
  readonly tried: Tried;
  /** Judges an answer. Each answer must also keep {@link brokenRule}. */
  answered(what: string, answer: Told, expected: Expected): void;
  /** Judges anything else: an effect, its absence, a time. */
  holds(what: string, found: unknown, wanted: unknown): void;
  /** The cases of this run: all, or as many as it may try, chosen by the seed. */
  some<T>(cases: readonly T[]): T[];
  /** The same of each group, and at least one of each. */
  spread<T>(groups: readonly T[][]): T[];
}

export interface TrialOptions {
  /** The same seed chooses the same cases. */
  seed: number;
  /** Cases of each table. */
  most: number;
}

export function createTrials(section: string, { seed, most }: TrialOptions): Trials {
  const tried: Tried = { section, cases: 0, refused: 0, failures: [] };
  const random = randomOf(seed);
  const count = (what: string, wanted: string, got: string | undefined) => {
    tried.cases += 1;
    if (got !== undefined) tried.failures.push({ section, what, wanted, got });
  };
  return {
    tried,
    answered(what, answer, expected) {
      const isRight = suits(answer, expected);
      const broken = brokenRule(answer);
      count(what, broken ?? shown(expected), isRight && !broken ? undefined : cut(answer));
      if (isRight && !broken && answer.status >= 400) tried.refused += 1;
    },
    holds(what, found, wanted) {
      const got = isDeepStrictEqual(found, wanted) ? undefined : JSON.stringify(found);
      count(what, JSON.stringify(wanted), got?.slice(0, SHOWN));
    },
    some: (cases) => chosen(cases, most, random),
    spread: (groups) => {
      const filled = groups.filter(({ length }) => length > 0);
      const share = Math.max(1, Math.floor(most / filled.length));
      return groups.flatMap((group) => chosen(group, share, random));
    },
  };
}

/** Draws without replacement, and keeps the order. */
function chosen<T>(cases: readonly T[], most: number, random: () => number): T[] {
  if (cases.length <= most) return [...cases];
  let wanted = most;
  return cases.filter((_, at) => {
    const isChosen = random() * (cases.length - at) < wanted;
    if (isChosen) wanted -= 1;
    return isChosen;
  });
}

function suits({ status, body }: Told, { status: wanted, code, says }: Expected): boolean {
  return (
    [wanted].flat().includes(status) &&
    (code === undefined || body?.code === code) &&
    (says === undefined || String(body?.message).includes(says))
  );
}

/** Words of a stack, of a statement or of a path of this machine. No answer holds them. */
const INTERNALS =
  /\bat [\w.<>]+ \(|node_modules|\binsert into\b|\bselect .+ from\b|violates .+ constraint|\/src\//i;

/** The rule of every answer that this one breaks: it comes, is no error of the server, and shows nothing internal. */
export function brokenRule({ status, headers, text }: Told): string | undefined {
  if (status === 0) return 'an answer';
  if (status === 500) return 'no error of the server';
  if (headers['x-request-id'] === undefined) return 'an answer with x-request-id';
  return status >= 400 && INTERNALS.test(text) ? 'an answer that shows nothing internal' : undefined;
}

const SHOWN = 300;
const cut = ({ status, text }: Told): string => `${status || 'no answer'} ${text.slice(0, SHOWN)}`;
const shown = ({ status, code, says }: Expected): string =>
  [[status].flat().join(' or '), code, says].filter(Boolean).join(' ');

/** Report lines: a line for each section, then each failure. */
export function reportOf(all: readonly Tried[], seed: number): string[] {
  const failures = all.flatMap((each) => each.failures);
  const width = Math.max(0, ...all.map(({ section }) => section.length));
  return [
    '',
    ...all.map(
      ({ section, cases, refused, failures: { length } }) =>
        `${section.padEnd(width)}  ${cases} cases, ${refused} refused as expected, ${length} failures`,
    ),
    ...failures.flatMap(({ section, what, wanted, got }) => [
      '',
      `  FAILURE ${what}`,
      `    wanted  ${wanted}`,
      `    got     ${got}`,
      `    again   npm run attack -- --sections ${section} --seed ${seed}`,
    ]),
  ];
}
