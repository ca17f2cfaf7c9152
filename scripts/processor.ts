import { setTimeout as sleep } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { type Cardwright, cardwright } from '../client/src';
import { openInstallation } from '../src/installation/session';
import { readConfig } from '../src/kernel/config/config';
import { partyPath, partySecret } from '../src/parties/sandbox/mount';
import { placeOf } from '../src/startup/installation/run';
import { outliveOutput, readerGone } from '../src/startup/output';
import type { Balances } from './processor/books';
import { FUNDED, issueCards, type PlayedCard } from './processor/cards';
import { issueChallengedCards, playChallenges } from './processor/challenges';
import { playNetwork } from './processor/network';
import { type NetworkOptions, readOptions } from './processor/options';
import { agrees, type Compared, networkBooks, reportOf } from './processor/report';
import { sendSingleMessage } from './processor/single-message';
import { readCredentials } from './support/api';

/**
 * `npm run processor -- --rate N --seconds S` plays a card network against a running `npm start` by the card
 * processor's messages (docs/parties.md). Compares its own books with the API and exits with 1 when they differ.
 */

/** Time limit for the release of money that an authorization without an answer may hold, in milliseconds. */
const PATIENCE_MS = 30_000;

outliveOutput();
const unread = readerGone();

async function main(options: NetworkOptions): Promise<boolean> {
  const config = readConfig();
  const credentials = readCredentials(config.dataDir);
  const url = options.url ?? credentials.baseUrl;
  const client = cardwright({ baseUrl: url, ...credentials.client });
  const secret = await secretOf(config);
  const setting = config.parties.cardProcessor;
  const processor = setting && setting !== 'off' ? setting.url : url + partyPath('card-processor');
  if (options.tell) {
    say(await sendSingleMessage({ url, secret }, { url: processor, secret }, options.tell));
    return true;
  }
  const admin = cardwright({ baseUrl: url, ...credentials.admin });
  const cards = await issueCards(client, admin, { url: processor, secret }, options.cards);
  say(
    `  ${cards.length} cards, ${options.rate} messages a second for ${options.seconds} s, seed ${options.seed}`,
  );
  const names = cards.map(({ reference }) => reference);
  const challenged = await issueChallengedCards(client, admin, { url: processor, secret });
  say(`  ${challenged.size} purchases of challenged payers: ${[...challenged.keys()].join(', ')}`);
  const [played, challenges] = await Promise.all([
    playNetwork({ ...options, url, secret, cards: names, unread }),
    playChallenges({ url, secret, client, cards: challenged }),
  ]);
  for (const [card, done] of challenges.transactions) played.transactions.set(card, done);
  played.wrong.push(...challenges.wrong);
  const all = [...cards, ...challenged.values()];
  const references = all.map(({ reference }) => reference);
  const compared = await compare(client, all, networkBooks(played, references, FUNDED));
  for (const line of reportOf(played, compared)) say(line);
  return played.wrong.length === 0 && compared.every(agrees);
}

/** The card processor's secret. */
async function secretOf(config: ReturnType<typeof readConfig>): Promise<Buffer> {
  const setting = config.parties.cardProcessor;
  if (setting && setting !== 'off') return setting.secret;
  const { keyring, close } = await openInstallation(await placeOf(config));
  try {
    return partySecret(keyring, 'card-processor');
  } finally {
    await close();
  }
}

/** Compares until the books agree, or until the time limit. */
async function compare(
  client: Cardwright,
  cards: readonly PlayedCard[],
  books: Map<string, Balances>,
): Promise<Compared[]> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(500)) {
    const compared = [];
    for (const { id, reference } of cards) {
      const { balance } = await client.getCard({ path: { id } });
      compared.push({ card: id, network: books.get(reference) as Balances, api: minorOf(balance) });
    }
    if (compared.every(agrees) || Date.now() > deadline || unread.aborted) return compared;
  }
}

const minorOf = (balance: Record<keyof Balances, string>): Balances => ({
  available: Math.round(Number(balance.available) * 100),
  pending: Math.round(Number(balance.pending) * 100),
  spent: Math.round(Number(balance.spent) * 100),
});

const say = (text: string) => void process.stdout.write(`${text}\n`);

function optionsOrEnd(): NetworkOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.exit(error instanceof CommanderError && error.exitCode === 0 ? 0 : 2);
  }
}

main(optionsOrEnd()).then(
  (same) => process.exit(same ? 0 : 1),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
