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

/** An event that a rule asks for; the board completes, posts and records it. */
export interface NewEvent {
  type: CardTransactionType;
  /** In `currency`. */
  amount: Decimal;
  currency: string;
  /** What moves on the card, in its currency. */
  billingAmount: Decimal;
  referenceId: string;
  linkedId?: string | null;
  /** The one that it belongs to. */
  authorization?: Authorization;
  /** The id to use; a new one when absent. */
  id?: string;
  fee?: Decimal;
  /** The event is marked `forced`: it happened whatever the balance was. */
  forced?: boolean;
  /** Its posting may leave an account below zero although the event is an ordinary one: a decline fee. */
  mayOverdraw?: boolean;
  declineReason?: DeclineReason;
  source?: EventSource;
  merchant?: Merchant;
  /** What moves on accounts together with the card. */
  accountEntries?: Entry[];
}

/** The account that an event would have overdrawn. Nothing of the event remains. */
export interface Refused {
  refusedBy: string;
}

/** An event that cannot be refused. */
export function accepted(recorded: CardTransaction | Refused): CardTransaction {
  if ('refusedBy' in recorded) throw new Error(`what cannot be refused was refused by ${recorded.refusedBy}`);
  return recorded;
}

/**
 * The cards, authorizations and accounts that a list of messages is about, while their locks are held. Rules read it,
 * change it one event after the other, and know nothing of the database; `load-board.ts` loads and writes it.
 */
export interface Board {
  readonly book: Book;
  readonly spending: Spending;
  card(id: string): Card | undefined;
  programme(bin: string): Programme;
  /** The authorization that has this reference on this card, as its own or as that of a later event. */
  authorization(cardId: string, referenceId: string | undefined): Authorization | undefined;
  authorizationById(id: string): Authorization | undefined;
  /** The challenge of a card on the board that the processor calls so, where a message names it. */
  challenge(challengeId: string): Challenge | undefined;
  /** An authorization is approved by it, and no other will be. */
  useChallenge(challengeId: string): void;
  /** The chains of networks' transactions. */
  readonly networks: NetworkReferences;
  /** Billing per unit of `currency`, without markup; nothing when no rate is fresh enough. */
  rate(currency: string, billingCurrency: string): Decimal | undefined;
  /** Posts and records an event, or tells which account refused it. */
  record(card: Card, event: NewEvent): CardTransaction | Refused;
  /** Posts what moves on accounts without a card event. */
  postToAccounts(card: Card, entries: Entry[]): void;
  /** What changed of it is to be written. */
  keepAuthorization(authorization: Authorization): void;
  keepCard(card: Card): void;
  /** Sets whose idempotency key travels with the events that follow. */
  actFor(idempotencyKey: string | null | undefined): void;
}

/** What happened on a board: what is to be written. */
export interface Outcome {
  /** Given to suspense, because no account was open for it. */
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
  /** Those of the networks' transactions that messages are of, where something is known of them. */
  networks?: NetworkReference[];
  /** Those that messages name, by the processor's names. */
  challenges?: ReadonlyMap<string, Challenge>;
  rate(currency: string, billingCurrency: string): Decimal | undefined;
}

/** A board that can be written. */
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
        events.push(accountTransactionEvent(book.account(entry.account), entry, { idempotencyKey: key }));
    }
  }

  return {
    book,
    spending: state.spending,
    card: (id) => cards.get(id),
    programme(bin) {
      const programme = programmes.get(bin);
      if (!programme) throw new Error(`no programme runs on BIN ${bin}`);
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
      events.push(cardTransactionEvent(transaction, key));
      appendAccountEvents(posted.entries);
      noteSuspended(card, posted.entries);
      return transaction;
    },
    postToAccounts(card, entries) {
      const posted = book.post({ entries, forced: false });
      if (!posted.ok) throw new Error(`${card.id}: what was held is not there`);
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

/** What the card scheme receives by a settlement and gives by a refund: the card's entry alone does not sum to zero. */
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
