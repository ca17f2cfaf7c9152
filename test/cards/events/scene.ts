import type { Card } from '../../../src/cards/cards/record';
import type { Limits } from '../../../src/cards/events/limits/record';
import { recordWrites } from '../../../src/cards/events/load-board';
import type { CardTransaction, Message } from '../../../src/cards/events/record';
import { createBoard } from '../../../src/cards/events/rules/board';
import { type Judgement, judge } from '../../../src/cards/events/rules/judge';
import { createSpending, type SpendingState, usedKey } from '../../../src/cards/events/rules/limits/spending';
import type { Programme } from '../../../src/cards/programmes/record';
import type { Write } from '../../../src/kernel/db/writes';
import { Problem } from '../../../src/kernel/errors';
import type { LedgerAccount } from '../../../src/kernel/ledger/accounts';
import { bookOf } from '../../../src/kernel/ledger/book';
import { ACCOUNT_EFFECTS, CARD_EFFECTS } from '../../../src/kernel/ledger/effects';
import { Decimal, ZERO } from '../../../src/kernel/money/money';

export const money = (text: string) => new Decimal(text);
export const NOW = new Date('2026-01-31T12:00:00.000Z');

/** A card with its accounts on a board without a database, to try the pure rules. */
export interface Scene {
  card: Card;
  /** Plays a message. @returns the event that it requested, or the code of its refusal */
  does(message: Record<string, unknown> & { type: string }): CardTransaction | string | undefined;
  /** `available pending spent` of the card; `available pending` of an account. */
  balances(): { card: string; master: string; account: string; buffer: string };
  /** The client's events, folded by the tables of `interface.md 3.4`. */
  folded(): { card: string; master: string; account: string };
  /** All events so far, as `type amount`. */
  told(): string[];
  events(): CardTransaction[];
  /** The writes of the board. */
  writes(): Write[];
}

export interface SceneOptions {
  card?: string;
  master?: string;
  /** A user's account funds the card instead of the master account. */
  account?: string;
  /** The buffer of the card. */
  buffer?: string;
  status?: Card['status'];
  programme?: Partial<Omit<Programme, 'fees'>> & { fees?: Partial<Programme['fees']> };
  rates?: Record<string, string>;
  currency?: string;
  initialAmount?: string;
  issueFee?: string;
  /** Limits of the card and of its user. `used`: the amount that the user's other cards have authorized today. */
  limits?: { card?: LimitsText; user?: LimitsText & { used?: string } };
}

/** Limits with amounts as text. An absent field sets no limit. */
type LimitsText = Partial<
  Record<'perTransaction' | 'perDay' | 'perMonth' | 'challengeAbove', string> &
    Pick<Limits, 'blockedMccs' | 'allowedMccs' | 'blockedCountries' | 'challengeEcommerce' | 'homeCountries'>
>;

export function scene(options: SceneOptions = {}): Scene {
  const currency = options.currency ?? 'USD';
  const programme = programmeOf(currency, options.programme);
  const card = cardOf(currency, options);
  const held = card.status === 'pending' ? card.initialAmount.plus(card.issueFee) : ZERO;
  const accounts = [
    ledgerAccount('card_1', 'card', currency, options.card ?? '0'),
    ledgerAccount('acc_master', 'master', currency, options.master ?? '100'),
    ...(options.buffer === undefined
      ? []
      : [ledgerAccount('buf_1', 'card_buffer', currency, options.buffer)]),
    ...(options.account === undefined ? [] : [ledgerAccount('acc_user', 'user', currency, options.account)]),
  ];
  const funding = accounts.find(({ id }) => id === card.accountId) as LedgerAccount;
  funding.available = funding.available.minus(held);
  funding.pending = funding.pending.plus(held);
  const opening = new Map(accounts.map((account) => [account.id, { ...account }]));
  const book = bookOf(accounts, NOW);
  const board = createBoard({
    book,
    spending: createSpending(NOW, spendingOf(currency, options)),
    cards: new Map([[card.id, card]]),
    programmes: new Map([[card.bin, programme]]),
    authorizations: [],
    references: new Map(),
    rate(from, to) {
      const rate = options.rates?.[`${from} ${to}`];
      return rate === undefined ? undefined : money(rate);
    },
  });

  const show = (id: string, spent = false) => {
    const { available, pending, spent: used } = book.account(id);
    return [available, pending, ...(spent ? [used] : [])].map((part) => part.toFixed(2)).join(' ');
  };

  return {
    card,
    does(message) {
      try {
        const judgement: Judgement = judge(board, {
          cardId: card.id,
          reach: null,
          ...amounts(message),
        } as unknown as Message);
        return judgement.transaction;
      } catch (error) {
        if (error instanceof Problem) return error.code;
        throw error;
      }
    },
    balances: () => ({
      card: show(card.id, true),
      master: show('acc_master'),
      account: show(card.accountId),
      buffer: card.bufferAccountId === null ? '' : book.account(card.bufferAccountId).available.toFixed(2),
    }),
    folded() {
      const fold = (id: string) => {
        const { available, pending, spent } = opening.get(id) as LedgerAccount;
        const total = { available, pending, spent };
        for (const { event, data } of board.outcome().events) {
          const own = event === 'card_transaction' ? data['cardId'] === id : data['accountId'] === id;
          if (!own) continue;
          const effect =
            event === 'card_transaction'
              ? CARD_EFFECTS[data['type'] as keyof typeof CARD_EFFECTS]
              : ACCOUNT_EFFECTS[
                  `${String(data['type'])}/${String(data['subtype'])}` as keyof typeof ACCOUNT_EFFECTS
                ];
          const amount = money(String(data['billingAmount'] ?? data['amount']));
          total.available = total.available.plus(amount.times(effect.available));
          total.pending = total.pending.plus(amount.times(effect.pending));
          total.spent = total.spent.plus(amount.times(effect.spent));
        }
        return total;
      };
      const cardFold = fold(card.id);
      const sum = (id: string) => {
        const { available, pending } = fold(id);
        return available.plus(pending).toFixed(2);
      };
      return {
        card: [cardFold.available, cardFold.pending, cardFold.spent].map((part) => part.toFixed(2)).join(' '),
        master: sum('acc_master'),
        account: sum(card.accountId),
      };
    },
    told: () => board.outcome().events.map(({ data }) => describeEvent(data)),
    events: () => board.outcome().transactions,
    writes: () => [...recordWrites(board), board.book.written()].filter((write) => write !== undefined),
  };
}

function describeEvent(data: Record<string, any>): string {
  const name = data['subtype'] ? `${String(data['type'])}/${String(data['subtype'])}` : String(data['type']);
  const how = data['forced'] ? ' forced' : data['source'] === 'buffer' ? ' from the buffer' : '';
  return `${name} ${String(data['billingAmount'] ?? data['amount'])}${how}`;
}

function amounts(message: Record<string, unknown>): Record<string, unknown> {
  return typeof message['amount'] === 'string' ? { ...message, amount: money(message['amount']) } : message;
}

function spendingOf(currency: string, { limits: { card, user } = {} }: SceneOptions): SpendingState {
  const used = money(user?.used ?? '0');
  return {
    limits: new Map([
      ...(card ? [['card_1', limitsOf(card)] as const] : []),
      ...(user ? [['usr_1', limitsOf(user)] as const] : []),
    ]),
    used: new Map([[usedKey('usr_1', currency), { day: used, month: used }]]),
    parts: new Map(),
  };
}

function limitsOf({ perTransaction, perDay, perMonth, challengeAbove, ...lists }: LimitsText): Limits {
  const amount = (text?: string) => (text === undefined ? null : money(text));
  return {
    perTransaction: amount(perTransaction),
    perDay: amount(perDay),
    perMonth: amount(perMonth),
    blockedMccs: lists.blockedMccs ?? [],
    allowedMccs: lists.allowedMccs ?? [],
    blockedCountries: lists.blockedCountries ?? [],
    challengeEcommerce: lists.challengeEcommerce ?? false,
    challengeAbove: amount(challengeAbove),
    homeCountries: lists.homeCountries ?? [],
  };
}

function ledgerAccount(
  id: string,
  kind: LedgerAccount['kind'],
  currency: string,
  available: string,
): LedgerAccount {
  return {
    id,
    kind,
    tenantId: 'cli_1',
    currency,
    available: money(available),
    pending: ZERO,
    spent: ZERO,
    entries: 0,
    lastAt: NOW,
  };
}

function programmeOf(currency: string, given: SceneOptions['programme'] = {}): Programme {
  const { fees, ...rest } = given;
  return {
    bin: '44112200',
    scheme: 'visa',
    currency,
    markupPercent: ZERO,
    authorizationDays: 7,
    maxAuthorization: null,
    maxPerDay: null,
    maxPerMonth: null,
    blockedMccs: ['7995'],
    allowedMccs: [],
    blockedCountries: [],
    challengeEcommerce: false,
    challengeAbove: null,
    homeCountries: [],
    ...rest,
    fees: { issue: ZERO, topUp: ZERO, settleFixed: ZERO, settlePercent: ZERO, decline: ZERO, ...fees },
  };
}

function cardOf(currency: string, options: SceneOptions): Card {
  return {
    id: 'card_1',
    tenantId: 'cli_1',
    userId: 'usr_1',
    accountId: options.account === undefined ? 'acc_master' : 'acc_user',
    returnsTo: null,
    masterAccountId: 'acc_master',
    cardholderId: 'chd_1',
    bin: '44112200',
    scheme: 'visa',
    currency,
    bufferAccountId: options.buffer === undefined ? null : 'buf_1',
    insufficientAsked: false,
    label: null,
    status: options.status ?? 'active',
    freezeReasons: options.status === 'frozen' ? ['manual'] : [],
    userBlocked: false,
    tenantStopped: false,
    limited: options.limits !== undefined,
    last4: '4242',
    expiryMonth: 1,
    expiryYear: 2030,
    processorReference: 'p_1',
    initialAmount: money(options.initialAmount ?? '0'),
    issueFee: money(options.issueFee ?? '0'),
    processorClosedAt: null,
    failure: null,
    idempotencyKey: null,
    createdAt: NOW,
    updatedAt: NOW,
  };
}
