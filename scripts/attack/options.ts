import { Command, InvalidArgumentError } from 'commander';
import { httpUrl, isLoopback, wholeNumber } from '../support/arguments';
import { DOCUMENTS, SECTION_NAMES, type SectionName } from './sections/all';

export interface AttackOptions {
  /** Names of {@link SECTIONS}. When absent, all. */
  sections: (SectionName | typeof DOCUMENTS)[];
  /** Number of cases of each table of a section, chosen by the seed. */
  cases: number;
  /** Number of test cases of schemathesis for each operation in each phase. */
  maxExamples: number;
  /** Duration of schemathesis for each credential. When absent, until every operation has had its test cases. */
  seconds?: number;
  /** The same seed gives the same cases. */
  seed: number;
  /** Folder of the reports. When absent, a temporary folder. */
  out?: string;
}

const ALL = [...SECTION_NAMES, DOCUMENTS] as const;

/** @throws InvalidArgumentError naming all sections */
function sectionsIn(text: string): AttackOptions['sections'] {
  const named = text.split(',');
  const found = ALL.filter((each) => named.includes(each));
  if (found.length === named.length) return found;
  throw new InvalidArgumentError(`Some of ${ALL.join(', ')}, with commas.`);
}

const EPILOG = `
Attacks a running sandbox and its desk over HTTP. Each section derives its cases from the two OpenAPI documents: secrets
without a scope, admins without a permission, the desk without a session, forged callbacks, URLs of inner hosts, hostile
values, races, floods, and stolen or ended credentials. The section documents is schemathesis. The attack changes and closes every record that it can reach, so use a separate installation,
  DATA_DIR=.data/attack npm start        and, in another terminal,
  DATA_DIR=.data/attack npm run attack
Exits with 1 at any failure, or when an answer is neither documented nor a known exception (scripts/attack/exceptions.ts).`;

/** @throws CommanderError after printing its message */
export function readOptions(argv: string[]): AttackOptions {
  return new Command('attack')
    .description('a penetration test of a running sandbox')
    .option('--sections <names>', `some of ${ALL.join(',')}`, sectionsIn, [...ALL])
    .option('--cases <count>', 'cases of each table of a section', wholeNumber(1), 5_000)
    .option(
      '--max-examples <count>',
      'test cases of schemathesis for each operation and phase',
      wholeNumber(1),
      20,
    )
    .option('--seconds <count>', 'duration of schemathesis for each credential', wholeNumber(1))
    .option(
      '--seed <number>',
      'repeats the test cases of an earlier run',
      wholeNumber(1),
      Date.now() % 2_147_483_647,
    )
    .option('--out <folder>', 'folder of the reports')
    .addHelpText('after', EPILOG)
    .parse(argv, { from: 'user' })
    .opts<AttackOptions>();
}

/** Checks that the target is this machine, so that nobody attacks a foreign system. @throws InvalidArgumentError */
export function loopbackUrl(text: string): string {
  const url = new URL(httpUrl(text));
  if (!isLoopback(text))
    throw new InvalidArgumentError(
      'Only a product on this machine is attacked: 127.0.0.1, ::1 or localhost.',
    );
  if (url.username || url.password || url.pathname !== '/')
    throw new InvalidArgumentError('An address without a path, such as http://127.0.0.1:8080.');
  return url.origin;
}
