import type { Sql, Tx } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { bookOf } from '../../kernel/ledger/book';
import type { Observers } from '../../kernel/metrics/observers';
import { eventsWrite } from '../../kernel/outbox/events';
import type { Rates } from '../../parties/rates/port';
import { shownBreaksWrite } from '../../process/breaks/operations';
import { cardStatesWrite, lockCardAccounts, lockCards } from '../cards/operations';
import type { Challenge } from '../challenges/record';
import { challengesWrite, lockChallengesOf } from '../challenges/use';
import type { Programmes } from '../programmes/cache';
import { authorizationsWrite, readAuthorizations, readMerchants } from './authorization-store';
import { loadSpending } from './limits/count';
import { spendingWrites } from './limits/store';
import { networkReferencesWrite, readNetworkReferences } from './network/store';
import type { Message } from './record';
import { createBoard, type LoadedBoard } from './rules/board';
import { cardSuspenseWrite } from './suspense-store';
import { transactionsWrite } from './transaction-store';

/** What the rules of card events need besides the database. */
export interface CardEventDeps {
  programmes: Programmes;
  parties: { rates: Pick<Rates, 'worth'> };
  /** Nobody counts where it is absent. */
  observeAuthorization?: Observers['observeAuthorization'];
}

/**
 * Locks everything that the messages are about, in the one order (cards, then ledger accounts with the masters last, then challenges),
 * and reads it. All of it travels in one round trip, and what bounds limited cards in a second one; what is read comes after the lock
 * that guards it.
 */
export async function loadBoard(tx: Sql, deps: CardEventDeps, messages: Message[]): Promise<LoadedBoard> {
  const cardIds = [...new Set(messages.map((message) => message.cardId))];
  const references = messages.flatMap(referencesOf);
  const named = messages.flatMap((message) =>
    message.type === 'authorization' ? referencesOf(message) : [],
  );
  const expiring = messages.flatMap((message) =>
    message.type === 'expire' ? [message.authorizationId] : [],
  );
  const ofNetworks = messages.filter(
    (message) => message.type === 'network' || message.type === 'unanswered',
  );
  const challengeIds = messages.flatMap((message) =>
    message.type === 'network' ? (message.challengeId ?? []) : [],
  );
  const [cards, { accounts, now }, found, merchants, networks, challenges] = await Promise.all([
    lockCards(tx, cardIds),
    lockCardAccounts(tx, cardIds),
    readAuthorizations(tx, cardIds, references, expiring),
    readMerchants(tx, cardIds, named),
    readNetworkReferences(tx, ofNetworks),
    challengeIds.length > 0 ? lockChallengesOf(tx, cardIds, challengeIds) : NO_CHALLENGES,
  ]);
  for (const { authorization } of found) authorization.merchant = merchants.get(authorization.id);
  const programmes = await deps.programmes.of(tx, [...new Set([...cards.values()].map((card) => card.bin))]);
  const all = [...found, ...networks.chains];
  const book = bookOf(accounts, now);
  const authorizations = [
    ...new Map(all.map(({ authorization }) => [authorization.id, authorization])).values(),
  ];
  return createBoard({
    book,
    spending: await loadSpending(tx, book.at, [...cards.values()], programmes, authorizations),
    cards,
    programmes,
    authorizations,
    references: new Map(
      all.map(({ reference, authorization }) => [`${authorization.cardId} ${reference}`, authorization.id]),
    ),
    networks: networks.references,
    challenges,
    // Out of memory, for rows are locked; nothing is awaited while messages are judged, so all go by one snapshot.
    rate: (currency, billingCurrency) => deps.parties.rates.worth(currency, billingCurrency),
  });
}

const NO_CHALLENGES: ReadonlyMap<string, Challenge> = new Map();

const referencesOf = (message: Message): string[] =>
  'referenceId' in message && message.referenceId ? [message.referenceId] : [];

/** A closed card has money in suspense: an operator lets it out. */
export const CARD_SUSPENSE = 'card_money_in_suspense';

/** What writes all that happened on a board; {@link tellWhenCommitted} is the caller's. */
export function boardWrites(board: LoadedBoard): (Write | undefined)[] {
  const { transactions, events, authorizations, cards, networks, challenges, suspended } = board.outcome();
  return [
    transactionsWrite(transactions),
    authorizationsWrite(authorizations),
    cardStatesWrite(cards),
    ...spendingWrites(board.spending.changes()),
    networkReferencesWrite(networks),
    challengesWrite(challenges),
    cardSuspenseWrite(suspended.map(({ card, amount, at }) => ({ cardId: card.id, amount, since: at }))),
    shownBreaksWrite(
      suspended.map(({ card: { id, tenantId, currency }, amount, reference }) => ({
        ...{ tenantId, kind: CARD_SUSPENSE, subject: id, detail: reference, amount, currency },
      })),
    ),
    eventsWrite(events),
    board.book.written(),
  ];
}

/** Counts what happened on a board, once it has been committed: in memory alone. */
export function countWhenCommitted(tx: Tx, deps: CardEventDeps, board: LoadedBoard): void {
  const { observeAuthorization } = deps;
  if (!observeAuthorization) return;
  tx.afterCommit(() => {
    for (const { type, forced, declineReason } of board.outcome().transactions) {
      if (type === 'decline') observeAuthorization('declined', declineReason);
      if (type === 'authorization') observeAuthorization(forced ? 'forced' : 'approved', null);
    }
  });
}
