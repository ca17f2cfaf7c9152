import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { PARTY_PROTOCOLS } from '../../src/parties/definitions';
import type { PartyProtocol } from '../../src/parties/protocol/description';
import { httpUrl, jsonObject, wholeNumber } from '../support/arguments';

export interface CheckOptions {
  protocol: PartyProtocol;
  /** Without a trailing slash. */
  baseUrl: string;
  secret: Buffer;
  /** Address at which the party reaches us from outside. */
  callbackUrl?: string;
  callbackPort: number;
  record?: string;
  order: Record<string, unknown>;
  seconds: number;
  /** Seconds to wait for messages of the party's lines; 0: no wait and no check. */
  lineSeconds: number;
  json: boolean;
}

const EPILOG = `
Checks the rules of docs/parties.md over HTTP as the product would. Creates records at the party, so use a test system.
The secret is the shared one (PARTY_<NAME>_SECRET of the product): in a file, or in the environment as PARTY_SECRET.

When the party is on this machine, it calls back here. Otherwise give with --callback-url the address at which it reaches
--callback-port of this machine.

Exits with 0 when no check failed, 1 when one failed, 2 when it was called wrongly.`;

/** @throws CommanderError after printing its message */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): CheckOptions {
  const command = new Command('party:check')
    .description('checks a bridge or a test system against the protocol of a party')
    .argument('<party>', PARTY_PROTOCOLS.map(({ name }) => name).join(', '), partyNamed)
    .argument('<url>', 'address of the party', httpUrl)
    .option('--secret-file <file>', 'file of the secret (default: PARTY_SECRET)', fileContent)
    .option('--callback-url <url>', 'address at which the party reaches this machine', httpUrl)
    .option('--callback-port <port>', 'port for callbacks (default: a free port)', wholeNumber(), 0)
    .option('--record <name>', 'a record that may be changed by refunds and returns')
    .option(
      '--order <json>',
      'fields that replace those of the sample order: {"amount":"5.00"}',
      jsonObject,
      {},
    )
    .option(
      '--seconds <count>',
      'seconds to wait for changes that the party makes by itself',
      wholeNumber(),
      10,
    )
    .option(
      '--line-seconds <count>',
      'seconds to wait for messages that the party sends first, at their path of --callback-port',
      wholeNumber(),
      0,
    )
    .option('--json', 'prints one JSON object', false)
    .addHelpText('after', EPILOG)
    .exitOverride()
    .parse(argv, { from: 'user' });
  const { secretFile, ...options } = command.opts<
    Omit<CheckOptions, 'protocol' | 'baseUrl'> & { secretFile?: string }
  >();
  const secret = secretFile ?? environment['PARTY_SECRET'];
  if (!secret)
    command.error('error: give the secret with --secret-file, or as PARTY_SECRET in the environment');
  const [protocol, baseUrl] = command.processedArgs as [PartyProtocol, string];
  return { ...options, protocol, baseUrl, secret: Buffer.from(secret as string) };
}

function partyNamed(name: string): PartyProtocol {
  const found = PARTY_PROTOCOLS.find((protocol) => protocol.name === name);
  if (!found) throw new InvalidArgumentError(`One of ${PARTY_PROTOCOLS.map((one) => one.name).join(', ')}.`);
  return found;
}

/** Ignores a line break at the end, because editors add one. */
function fileContent(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
