import { Command, InvalidArgumentError } from 'commander';
import type { Json } from '../demo/api';

export interface NetworkOptions {
  /** Messages a second. */
  rate: number;
  seconds: number;
  cards: number;
  seed: number;
  /** Address of the API, without a trailing slash. When absent, the one in the credentials of `npm start`. */
  url?: string;
  /** One message. When present, nothing else is sent. */
  tell?: Json;
}

const EPILOG = `
Plays a card network against a running \`npm start\`: authorizations, increments, clearings in parts, late and of more,
reversals, refunds, advices of a stand-in, all of them sometimes twice, at once or in the wrong order. Beside them payers are
challenged by 3-D Secure, whose codes it reads in the tester's mailbox: one waits a minute for a mail server that is away. It makes users and cards
of its own, and compares what the network knows with what the API reports of them.

With --tell it plays nothing. The message may name a card by cardId in place of cardReference; messageId, networkReference, sentAt
and the expiresAt of a challenge are made where they are absent.

Exits with 0 when they agree, 1 when they differ or an answer is none, 2 when it was called wrongly.`;

/** @throws CommanderError after printing its message */
export function readOptions(argv: readonly string[]): NetworkOptions {
  return new Command('processor')
    .description('plays a card network')
    .option('--rate <count>', 'messages a second', wholeNumber, 20)
    .option('--seconds <count>', 'how long', wholeNumber, 30)
    .option('--cards <count>', 'on how many cards', wholeNumber, 10)
    .option('--seed <number>', 'the same seed, the same transactions', wholeNumber, Date.now() % 1_000_000)
    .option('--url <url>', 'where the API is', httpUrl)
    .option('--tell <json>', 'sends this message alone, signed, and prints its answer', jsonObject)
    .addHelpText('after', EPILOG)
    .exitOverride()
    .parse(argv, { from: 'user' })
    .opts<NetworkOptions>();
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('A whole number above zero.');
  return Number(text);
}

function jsonObject(text: string): Json {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // falls through to the error below
  }
  throw new InvalidArgumentError('A JSON object.');
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('An http or https address.');
  return text.replace(/\/+$/, '');
}
