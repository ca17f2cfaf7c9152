import { Command } from 'commander';
import type { Json } from '../support/api';
import { httpUrl, jsonObject, wholeNumber } from '../support/arguments';

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
Plays a card network against a running \`npm start\`: authorizations, increments, reversals, refunds, advices of a stand-in, and
clearings in parts, late and above the authorization. Some come twice, together or in the wrong order. Other payers are challenged by
3-D Secure, with codes from the tester's mailbox. One of them waits a minute for a mail server that is down. The program creates users
and cards, and compares the network's books with the API.

With --tell it sends one message only. The message may name a card by cardId instead of cardReference. Absent values of messageId,
networkReference, sentAt and a challenge's expiresAt are generated.

Exits with 0 when the books agree, 1 when they differ or no answer comes, 2 when it was called wrongly.`;

/** @throws CommanderError after printing its message */
export function readOptions(argv: readonly string[]): NetworkOptions {
  return new Command('processor')
    .description('plays a card network')
    .option('--rate <count>', 'messages a second', wholeNumber(1), 20)
    .option('--seconds <count>', 'duration', wholeNumber(1), 30)
    .option('--cards <count>', 'number of cards', wholeNumber(1), 10)
    .option(
      '--seed <number>',
      'repeats the transactions of an earlier run',
      wholeNumber(1),
      Date.now() % 1_000_000,
    )
    .option('--url <url>', 'address of the API', httpUrl)
    .option('--tell <json>', 'only sends this message, signed, and prints its answer', jsonObject)
    .addHelpText('after', EPILOG)
    .exitOverride()
    .parse(argv, { from: 'user' })
    .opts<NetworkOptions>();
}
