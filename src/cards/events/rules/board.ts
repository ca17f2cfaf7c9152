import { accountTransactionEvent } from '../../../accounts/accounts/events';
import { newId } from '../../../kernel/ids';
import type { Book } from '../../../kernel/ledger/book';
import type { CardTransactionType } from '../../../kernel/ledger/effects';
import {
  cardEntry,
  type Entry,
  internalAccountId,
  internalEntry,
  type PostedEntry,
} from '../../../kernel/ledger/entries';
import { type Decimal, ZERO } from '../../../kernel/money/money';
import type { WebhookEvent } from '../../../kernel/outbox/events';
import { type Card, SUSPENSE } from '../../cards/record';
import type { Challenge } from '../../challenges/record';
import { transition } from '../../challenges/rules';
import type { Programme } from '../../programmes/record';
import {
  createNetworkReferences,
  type NetworkReference,
  type NetworkReferences,
} from '../network/references';
import type { Authorization, CardTransaction, DeclineReason, EventSource, Merchant } from '../record';
import { cardTransactionEvent } from '../view';
import type { Spending } from './limits/spending';

/** An event that a rule requests. The board completes, posts and records it. */
export interface NewEvent {
  type: CardTransactionType;
  /** In `currency`. */
  amount: Decimal;
  currency: string;
  /** The amount that moves on the card, in the card's currency. */
  billingAmount: Decimal;
  referenceId: string;
  linkedId?: string | null;
  /** The authorization that the event belongs to. */
  authorization?: Authorization;
  /** The id of the event; a new one by default. */
  id?: string;
  fee?: Decimal;
  /** The event happened whatever the balance was. */
  forced?: boolean;
  /** The posting of an ordinary event may overdraw an account, as a decline fee may. */
  mayOverdraw?: boolean;
  declineReason?: DeclineReason;
  source?: EventSource;
  merchant?: Merchant;
  /** Entries on accounts that are posted with the card's entry. */
  accountEntries?: Entry[];
}

/** The account that a refused event would have overdrawn. A refused event leaves no trace. */
export interface Refused {
  refusedBy: string;
}

/** The recorded event. @throws Error for a refused one; callers pass events that cannot be refused */
export function accepted(recorded: CardTransaction | Refused): CardTransaction {
  if ('refusedBy' in recorded) throw new Error(`a forced event was refused by ${recorded.refusedBy}`);
  return recorded;
}

/**
 * The cards, authorizations and accounts of some messages, while their locks are held. Rules read and change the board,
 * one event after the other, and need no database. `load-board.ts` loads and writes it.
 */
export interface Board {
  readonly book: Book;
  readonly spending: Spending;
  card(id: string): Card | undefined;
  programme(bin: string): Programme;
  /** The authorization on a card that has this reference, as its own or as a later event's. */
  authorization(cardId: string, referenceId: string | undefined): Authorization | undefined;
  authorizationById(id: string): Authorization | undefined;
  /** The challenge with this id of the processor, if a message names it and it belongs to a card on the board. */
  challenge(challengeId: string): Challenge | undefined;
  /** Uses up a challenge: it authenticates one authorization only. */
  useChallenge(challengeId: string): void;
  /** The references of networks' transactions, with their chains. */
  readonly networks: NetworkReferences;
  /** Billing amount per unit of `currency`, without markup; undefined when no rate is fresh enough. */
  rate(currency: string, billingCurrency: string): Decimal | undefined;
  /** Posts and records an event, or returns the account that refused it. */
  record(card: Card, event: NewEvent): CardTransaction | Refused;
  /** Posts entries on accounts without a card event. */
  postToAccounts(card: Card, entries: Entry[]): void;
  /** Marks an authorization as changed, so that it is written. */
  keepAuthorization(authorization: Authorization): void;
  keepCard(card: Card): void;
  /** Sets the idempotency key that the following events carry. */
  actFor(idempotencyKey: string | null | undefined): void;
  /** Sets the trace that the following events carry. Default: the present one. */
  tracedBy(traceparent: string | undefined): void;
}

/** The records and changes of a board that must be written. */
export interface Outcome {
  /** Amounts that went to suspense, because no account was open for them. */
  suspended: { card: Card; amount: Decimal; reference: string; at: Date }[];
  transactions: CardTransaction[];
  events: WebhookEvent[];
  authorizations: Authorization[];
  cards: Card[];
  networks: NetworkReference[];
  challenges: Challenge[];
}

export interface BoardState {
  book: Book;
  spending: Spending;
  cards: Map<string, Card>;
  programmes: Map<string, Programme>;
  authorizations: Authorization[];
  /** Authorization ids by `cardId referenceId`. */
  references: Map<string, string>;
  /** The references of networks' transactions that messages name, as far as they exist. */
  networks?: NetworkReference[];
  /** The challenges that messages name, by the processor's ids. */
  challenges?: ReadonlyMap<string, Challenge>;
  rate(currency: string, billingCurrency: string): Decimal | undefined;
}

/** A board with the records that must be written. */
export interface LoadedBoard extends Board {
  outcome(): Outcome;
}

export function createBoard(state: BoardState): LoadedBoard {
  const { book, cards, programmes, references } = state;
  const authorizations = new Map(state.authorizations.map((each) => [each.id, each]));
  const transactions: CardTransaction[] = [];
  const events: WebhookEvent[] = [];
  const suspended: Outcome['suspended'] = [];
  const keptAuthorizations = new Map<string, Authorization>();
  const keptCards = new Map<string, Card>();
  const networks = createNetworkReferences(state.networks ?? []);
  const usedChallenges: Challenge[] = [];
  let key: string | null | undefined;
  let trace: string | undefined;

  function append(event: WebhookEvent): void {
    if (trace !== undefined) event.traceparent = trace;
    events.push(event);
  }

  function noteSuspended(card: Card, entries: PostedEntry[]): void {
    if (card.returnsTo !== SUSPENSE) return;
    const account = internalAccountId('suspense', card.currency);
    for (const entry of entries)
      if (entry.account === account)
        suspended.push({ card, amount: entry.available, reference: entry.reference, at: book.at });
  }

  function appendAccountEvents(entries: PostedEntry[]): void {
    for (const entry of entries) {
      const moved = !(entry.available.isZero() && entry.pending.isZero());
      if (entry.listed && moved)
        append(accountTransactionEvent(book.account(entry.account), entry, { idempotencyKey: key }));
    }
  }

  return {
    book,
    spending: state.spending,
    card: (id) => cards.get(id),
    programme(bin) {
      const programme = programmes.get(bin);
      if (!programme) throw new Error(`there is no programme for BIN ${bin}`);
      return programme;
    },
    authorization: (cardId, referenceId) =>
      referenceId === undefined
        ? undefined
        : authorizations.get(references.get(`${cardId} ${referenceId}`) ?? ''),
    authorizationById: (id) => authorizations.get(id),
    challenge: (challengeId) => state.challenges?.get(challengeId),
    useChallenge(challengeId) {
      const challenge = state.challenges?.get(challengeId);
      const status = challenge && transition(challenge.status, 'authorization');
      if (!status) throw new Error(`the challenge ${challengeId} cannot be used`);
      challenge.status = status;
      challenge.updatedAt = book.at;
      usedChallenges.push(challenge);
    },
    networks,
    rate: state.rate,
    record(card, event) {
      const id = event.id ?? newId('cardTransaction');
      const own = cardEntry(card.id, event.type, event.billingAmount, event.referenceId, id);
      const entries = [own, ...(event.accountEntries ?? []), ...networkSide(card, own)];
      const posted = book.post({ entries, forced: event.forced || event.mayOverdraw });
      if (!posted.ok) return { refusedBy: posted.refusedBy };
      const transaction = transactionOf(card, event, id, posted.entries[0] as PostedEntry);
      transactions.push(transaction);
      if (transaction.authorizationId)
        references.set(`${card.id} ${event.referenceId}`, transaction.authorizationId);
      append(cardTransactionEvent(transaction, key));
      appendAccountEvents(posted.entries);
      noteSuspended(card, posted.entries);
      return transaction;
    },
    postToAccounts(card, entries) {
      const posted = book.post({ entries, forced: false });
      if (!posted.ok) throw new Error(`${card.id}: the held amount is missing`);
      appendAccountEvents(posted.entries);
      noteSuspended(card, posted.entries);
    },
    keepAuthorization(authorization) {
      authorization.updatedAt = book.at;
      authorizations.set(authorization.id, authorization);
      keptAuthorizations.set(authorization.id, authorization);
    },
    keepCard(card) {
      card.updatedAt = book.at;
      keptCards.set(card.id, card);
    },
    actFor(idempotencyKey) {
      key = idempotencyKey;
    },
    tracedBy(traceparent) {
      trace = traceparent;
    },
    outcome: () => ({
      suspended,
      transactions,
      events,
      authorizations: [...keptAuthorizations.values()],
      cards: [...keptCards.values()],
      networks: networks.changed(),
      challenges: usedChallenges,
    }),
  };
}

/** The card network's side of a settlement or refund, because the card's entry alone does not sum to zero. */
function networkSide(card: Card, own: Entry): Entry[] {
  if (own.type !== 'settle' && own.type !== 'refund') return [];
  return [
    internalEntry('card_network', card.currency, own.available.plus(own.pending).negated(), own.reference),
  ];
}

function transactionOf(card: Card, event: NewEvent, id: string, posted: PostedEntry): CardTransaction {
  const balance = posted.balance ?? { available: ZERO, pending: ZERO, spent: ZERO };
  return {
    id,
    cardId: card.id,
    tenantId: card.tenantId,
    number: posted.number ?? 0,
    at: posted.at,
    type: event.type,
    amount: event.amount,
    currency: event.currency,
    billingAmount: event.billingAmount,
    billingCurrency: card.currency,
    referenceId: event.referenceId,
    linkedId: event.linkedId ?? null,
    authorizationId: event.authorization?.id ?? null,
    fee: event.fee ?? ZERO,
    forced: event.forced ?? false,
    declineReason: event.declineReason ?? null,
    source: event.source ?? null,
    merchant: event.merchant ?? null,
    ...balance,
  };
}
