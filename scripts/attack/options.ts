import { Command, InvalidArgumentError } from 'commander';
import { httpUrl, isLoopback, wholeNumber } from '../support/arguments';

export interface AttackOptions {
  /** Loopback address of the product, without a trailing slash. When absent, the address of the credentials file. */
  baseUrl?: string;
  /** A credentials file like `.data/credentials.json`. When absent, the attack creates new tenants. */
  credentials?: string;
  /** Number of test cases for each operation in each phase. */
  maxExamples: number;
  /** Duration of the attack for each credential. When absent, until every operation has had its test cases. */
  seconds?: number;
  /** The same seed gives the same test cases. */
  seed: number;
  /** Folder of the reports. When absent, a temporary folder. */
  out?: string;
}

const EPILOG = `
Attacks a running sandbox through every operation of its /openapi.json, as a client and as an operator, with input that the
document allows and with invalid input. It changes and closes every record that it can reach, so use a separate installation,
  DATA_DIR=.data/attack npm start        and, in another terminal,
  DATA_DIR=.data/attack npm run attack
Exits with 1 when an answer is neither documented nor a known exception (scripts/attack/exceptions.ts).`;

/** @throws CommanderError after printing its message */
export function readOptions(argv: string[]): AttackOptions {
  return new Command('attack')
    .description('schemathesis against a running sandbox')
    .option('--base-url <url>', 'address of the product; loopback only', loopbackUrl)
    .option('--credentials <file>', 'use these credentials rather than new tenants')
    .option('--max-examples <count>', 'test cases for each operation and phase', wholeNumber(1), 20)
    .option('--seconds <count>', 'duration of the attack for each credential', wholeNumber(1))
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
