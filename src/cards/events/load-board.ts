import type { Sql } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { unavailable } from '../../kernel/errors';
import { bookOf } from '../../kernel/ledger/book';
import type { Decimal } from '../../kernel/money/money';
import { eventsWrite } from '../../kernel/outbox/events';
import type { Rates } from '../../parties/rates/port';
import { cardStatesWrite, lockCardAccounts, lockCards } from '../cards/operations';
import type { Card } from '../cards/record';
import type { Programmes } from '../programmes/cache';
import { authorizationsWrite, readAuthorizations } from './authorization-store';
import type { Message } from './record';
import { createBoard, type LoadedBoard } from './rules/board';
import { transactionsWrite } from './transaction-store';

/** What the rules of card events need besides the database. */
export interface CardEventDeps {
  programmes: Programmes;
  parties: { rates: Rates };
}

/**
 * Locks everything that the messages are about, in the one order (cards, then ledger accounts with the masters last), and
 * reads it. All of it travels in one round trip; what is read comes after the lock that guards it.
 */
export async function loadBoard(tx: Sql, deps: CardEventDeps, messages: Message[]): Promise<LoadedBoard> {
  const cardIds = [...new Set(messages.map((message) => message.cardId))];
  const references = messages.flatMap((message) =>
    'referenceId' in message && message.referenceId ? [message.referenceId] : [],
  );
  const expiring = messages.flatMap((message) =>
    message.type === 'expire' ? [message.authorizationId] : [],
  );
  const [cards, { accounts, now }, found] = await Promise.all([
    lockCards(tx, cardIds),
    lockCardAccounts(tx, cardIds),
    readAuthorizations(tx, cardIds, references, expiring),
  ]);
  const programmes = await deps.programmes.of(tx, [...new Set([...cards.values()].map((card) => card.bin))]);
  const rates = await ratesFor(deps.parties.rates, messages, cards);
  return createBoard({
    book: bookOf(accounts, now),
    cards,
    programmes,
    authorizations: [
      ...new Map(found.map(({ authorization }) => [authorization.id, authorization])).values(),
    ],
    references: new Map(
      found.map(({ reference, authorization }) => [`${authorization.cardId} ${reference}`, authorization.id]),
    ),
    rate(currency, billingCurrency) {
      const rate = rates.get(`${currency} ${billingCurrency}`);
      if (!rate) throw unavailable(`There is no fresh rate from ${currency} to ${billingCurrency}.`);
      return rate;
    },
  });
}

/** The middle rates that foreign messages need; a pair without a fresh one is left out and refuses only its messages. */
async function ratesFor(
  rates: Rates,
  messages: Message[],
  cards: Map<string, Card>,
): Promise<Map<string, Decimal>> {
  const pairs = new Map<string, [string, string]>();
  for (const message of messages) {
    const own = cards.get(message.cardId)?.currency;
    if (!('currency' in message) || !message.currency || !own || message.currency === own) continue;
    pairs.set(`${message.currency} ${own}`, [message.currency, own]);
  }
  const found = new Map<string, Decimal>();
  for (const [pair, [from, to]] of pairs) {
    const rate = await rates.rate(from, to).catch(() => undefined);
    if (rate) found.set(pair, rate.mid);
  }
  return found;
}

/** What writes all that happened on a board; {@link tellWhenCommitted} is the caller's. */
export function boardWrites(board: LoadedBoard): (Write | undefined)[] {
  const { transactions, events, authorizations, cards } = board.outcome();
  return [
    transactionsWrite(transactions),
    authorizationsWrite(authorizations),
    cardStatesWrite(cards),
    eventsWrite(events),
    board.book.written(),
  ];
}
