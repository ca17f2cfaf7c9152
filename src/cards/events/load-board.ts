import type { Sql, Tx } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { bookOf } from '../../kernel/ledger/book';
import type { Observers } from '../../kernel/metrics/observers';
import { eventsWrite } from '../../kernel/outbox/events';
import type { Rates } from '../../parties/rates/port';
import { shownBreaksWrite } from '../../process/breaks/operations';
import { cardStatesWrite, lockCardAccounts, lockCards } from '../cards/operations';
import { challengesWrite, lockChallengesOf } from '../challenges/for-card-events';
import type { Challenge } from '../challenges/record';
import type { Programmes } from '../programmes/cache';
import { authorizationsWrite, readAuthorizations, readMerchants } from './authorization-store';
import { loadSpending } from './limits/load-spending';
import { spendingWrites } from './limits/store';
import { networkReferencesWrite, readNetworkReferences } from './network/store';
import type { Message } from './record';
import { createBoard, type LoadedBoard } from './rules/board';
import { cardSuspenseWrite } from './suspense-store';
import { transactionsWrite } from './transaction-store';

/** Dependencies of card events, besides the database. */
export interface CardEventDeps {
  programmes: Programmes;
  parties: { rates: Pick<Rates, 'worth'> };
  /** Absent when nothing is counted. */
  observeAuthorization?: Observers['observeAuthorization'];
}

/**
 * Locks and reads everything that messages concern. Lock order: cards, ledger accounts with the masters last,
 * challenges. One round trip serves all of it, and a second one the spending of limited cards. Each statement reads
 * after the lock that guards its rows.
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
    // Read from memory, because rows are locked. Judging awaits nothing, so all messages use one snapshot of the rates.
    rate: (currency, billingCurrency) => deps.parties.rates.worth(currency, billingCurrency),
  });
}

const NO_CHALLENGES: ReadonlyMap<string, Challenge> = new Map();

const referencesOf = (message: Message): string[] =>
  'referenceId' in message && message.referenceId ? [message.referenceId] : [];

/** Break of a closed card with money in suspense. An operator pays the money out. */
export const CARD_SUSPENSE = 'card_money_in_suspense';

/**
 * The writes of a board's records. The caller also writes the board's book and calls {@link tellWhenCommitted}.
 */
export function recordWrites(board: LoadedBoard): (Write | undefined)[] {
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
        tenantId,
        kind: CARD_SUSPENSE,
        subject: id,
        detail: reference,
        amount,
        currency,
      })),
    ),
    eventsWrite(events),
  ];
}

/** Counts the events of a board in the metrics after the commit. */
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
