import { notFound } from '../kernel/errors';
import { isId } from '../kernel/ids';
import { formatAmounts, moneyText } from '../kernel/money/money';
import type { Effect, SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { columnsOf, type List, type Money } from '../process/desk/list';
import { record } from '../process/desk/record';
import type { Services } from '../services';
import { TO_APPROVE } from './approval/decide';
import { approvalDecisions } from './approval/desk';
import { openTransfers, transferSubject, transfersToDecide } from './engine/desk';
import { readSituation } from './engine/read';
import { transferStory } from './engine/story';
import { bankOf } from './exchange/destinations/operations';
import { shownWithdrawal } from './exchange/withdrawals/create';
import { type ExchangeWithdrawal, exchangeWithdrawalKind } from './exchange/withdrawals/kind';
import { exchangeWithdrawalView } from './exchange/withdrawals/view';
import { cardWithdrawalKind } from './external-cards/kind';
import { type CardTransfer, OPEN_CARD_STATUSES } from './external-cards/order-rules';
import { outgoingEffects, totalOf } from './payouts/desk';
import { OPEN_PAYOUT_STATUSES } from './payouts/record';

type WithdrawalDeskServices = Pick<Services, 'database' | 'keyring' | 'commands' | 'now'>;

type Withdrawal = CardTransfer | ExchangeWithdrawal;

const toCards = columnsOf<CardTransfer>();
const fromExchange = columnsOf<ExchangeWithdrawal>();

const DECISIONS = ['withdrawal.approve', 'withdrawal.reject'];

/** The desk of withdrawals to payment cards and from the exchange. One pair of decisions serves both, by the sort of id. */
export function withdrawalDesk(services: WithdrawalDeskServices): Desk {
  const { database, keyring, now } = services;
  const openToCards = openTransfers(services, {
    name: 'withdrawals',
    kind: cardWithdrawalKind,
    open: OPEN_CARD_STATUSES,
    columns: { total: toCards.money('total', totalToCard) },
  });
  const openFromExchange = openTransfers(services, {
    name: 'exchange-withdrawals',
    kind: exchangeWithdrawalKind,
    open: OPEN_PAYOUT_STATUSES,
    columns: {
      destination: fromExchange.id('destination', ({ transfer }) => transfer.terms.destinationId),
      total: fromExchange.money('total', totalOf),
    },
  });
  return defineDesk({
    name: 'withdrawal',
    title: 'Withdrawals to payment cards and from the exchange',
    lists: [cardsToApprove(services), exchangeToApprove(services), openToCards.list, openFromExchange.list],
    records: [
      record({
        kind: 'exchangeWithdrawal',
        title: 'A withdrawal from the exchange',
        story: (id, limit) =>
          transferStory(services, exchangeWithdrawalKind, {
            id,
            limit,
            viewOf: async (found) =>
              exchangeWithdrawalView(await shownWithdrawal(database, found as ExchangeWithdrawal)),
          }),
        reveal: {
          permission: 'money',
          async read(tx, id) {
            const found = await readSituation(tx, exchangeWithdrawalKind, id, now());
            if (!found) throw notFound('withdrawal');
            const { tenantId, terms } = found.transfer;
            const data = await bankOf(tx, keyring, terms.destinationId);
            return { action: 'exchange_withdrawal.reveal', tenantId, data };
          },
        },
      }),
    ],
    decisions: approvalDecisions<Withdrawal>(services, {
      noun: 'withdrawal',
      titles: {
        approve: 'lets it be ordered of the acquirer, or of the exchange',
        reject: 'it has ended, and what is held is released',
      },
      subject: subjectOf(services),
      kindOf: (found) => (isFromExchange(found) ? exchangeWithdrawalKind : cardWithdrawalKind),
      effectsOf: (found, verb) =>
        isFromExchange(found) ? outgoingEffects(found, verb) : cardEffects(found, verb),
      view: async (sql, found) =>
        isFromExchange(found)
          ? exchangeWithdrawalView(await shownWithdrawal(sql, found))
          : cardWithdrawalView(found),
    }),
    figures: [...openToCards.figures, ...openFromExchange.figures],
  });
}

const isFromExchange = (withdrawal: Withdrawal): withdrawal is ExchangeWithdrawal =>
  withdrawal.transfer.kind === exchangeWithdrawalKind.name;

/** Decides which kind a withdrawal is by its id. A top-up is no subject. */
function subjectOf(services: WithdrawalDeskServices): SubjectSpec<Withdrawal> {
  const noun = 'withdrawal';
  const card = transferSubject(services, cardWithdrawalKind, noun);
  const exchange = transferSubject(services, exchangeWithdrawalKind, noun);
  return {
    noun,
    kinds: [...card.kinds, ...exchange.kinds],
    read: (sql, id) => (isId('exchangeWithdrawal', id) ? exchange.read(sql, id) : card.read(sql, id)),
    lock: (tx, id) => (isId('exchangeWithdrawal', id) ? exchange.lock(tx, id) : card.lock(tx, id)),
    tenantOf: ({ transfer }) => transfer.tenantId,
  };
}

const cardsToApprove = (services: WithdrawalDeskServices): List =>
  transfersToDecide(services, {
    name: 'withdrawals',
    title: "withdrawals to cards above their tenant's threshold: approve or reject",
    kind: cardWithdrawalKind,
    waiting: TO_APPROVE,
    columns: {
      account: toCards.id('account', ({ transfer }) => transfer.accountId),
      total: toCards.money('total', totalToCard),
    },
    decisions: DECISIONS,
  });

const exchangeToApprove = (services: WithdrawalDeskServices): List =>
  transfersToDecide(services, {
    name: 'exchange-withdrawals',
    title: "withdrawals from the exchange above their tenant's threshold: approve or reject",
    kind: exchangeWithdrawalKind,
    waiting: TO_APPROVE,
    columns: {
      account: fromExchange.id('account', ({ transfer }) => transfer.accountId),
      destination: fromExchange.id('destination', ({ transfer }) => transfer.terms.destinationId),
      total: fromExchange.money('total', totalOf),
    },
    decisions: DECISIONS,
  });

function totalToCard({ transfer: { terms } }: CardTransfer): Money {
  return { amount: terms.amount.plus(terms.fee), currency: terms.currency };
}

function cardEffects(withdrawal: CardTransfer, verb: 'approve' | 'reject'): Effect[] {
  const { status, terms } = withdrawal.transfer;
  const total = totalToCard(withdrawal);
  return verb === 'approve'
    ? [
        { field: 'status', from: status, to: 'pending' },
        {
          field: 'ordered of the party',
          from: null,
          to: moneyText(terms),
        },
      ]
    : [
        { field: 'status', from: status, to: 'failed' },
        { field: 'held', from: moneyText(total), to: null },
      ];
}

/** The withdrawal as operators see it, with statuses that clients are not shown. */
function cardWithdrawalView({ transfer }: CardTransfer): object {
  const { id, tenantId, accountId, status, terms, failure, updatedAt } = transfer;
  const { amount, fee, currency } = terms;
  const amounts = formatAmounts({ amount, fee }, currency);
  return { id, tenantId, accountId, status, ...amounts, currency, failure, since: updatedAt.toISOString() };
}
