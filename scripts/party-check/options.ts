import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { PartyProtocol } from '../../src/parties/protocol/description';
import { PARTY_PROTOCOLS } from '../../src/parties/protocols';

export interface CheckOptions {
  protocol: PartyProtocol;
  /** Without a trailing slash. */
  baseUrl: string;
  secret: Buffer;
  /** Where the party reaches us from outside. */
  callbackUrl?: string;
  callbackPort: number;
  record?: string;
  order: Record<string, unknown>;
  seconds: number;
  /** How long messages of the party's lines are awaited; 0: they are not. */
  lineSeconds: number;
  json: boolean;
}

const EPILOG = `
Tries whatever docs/parties.md asks of a party, over HTTP as the product would. It makes records there: use a test system.
The secret is the one that both share (PARTY_<NAME>_SECRET of the product): in a file, or in the environment as PARTY_SECRET.

Callbacks are awaited on this machine when the party is on it too; otherwise say with --callback-url where it reaches
--callback-port of this machine.

Exits with 0 when nothing has failed, 1 when something has, 2 when it was called wrongly.`;

/** @throws CommanderError, told already */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): CheckOptions {
  const command = new Command('party:check')
    .description('checks a bridge or a test system against the protocol of a party')
    .argument('<party>', PARTY_PROTOCOLS.map(({ name }) => name).join(', '), partyNamed)
    .argument('<url>', 'where it is', httpUrl)
    .option('--secret-file <file>', 'holds the secret; PARTY_SECRET where absent', fileContent)
    .option('--callback-url <url>', 'where the party reaches this machine', httpUrl)
    .option(
      '--callback-port <port>',
      'where callbacks are awaited; any free one where absent',
      wholeNumber,
      0,
    )
    .option('--record <name>', 'a record there that may be changed: refunds and returns are tried on it')
    .option(
      '--order <json>',
      'fields that orders have instead of the sample’s: {"amount":"5.00"}',
      jsonObject,
      {},
    )
    .option('--seconds <count>', 'how long to wait for what the party does by itself', wholeNumber, 10)
    .option(
      '--line-seconds <count>',
      'awaits messages that the party tells by itself, at their path of --callback-port, and checks them',
      wholeNumber,
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

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new InvalidArgumentError('An http or https address.');
  return text.replace(/\/+$/, '');
}

/** A line break at its end is the editor's. */
function fileContent(path: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('A whole number.');
  return Number(text);
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new InvalidArgumentError('A JSON object.');
}
