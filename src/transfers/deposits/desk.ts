import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { type Decimal, moneyText } from '../../kernel/money/money';
import { amount } from '../../kernel/wire/schemas';
import { type Decision, decision, type Effect } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, type Money } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import type { Services } from '../../services';
import { openTransfers, transferSubject, transfersToDecide } from '../engine/desk';
import { transferStory } from '../engine/story';
import { shownDeposit } from './create';
import { type DecidedDeposit, decideDeposit, judgeRefund, judgeReview, refundDeposit } from './decide';
import { depositKind } from './kind';
import { type Deposit, netOf, undecidedOf } from './money';
import { OPEN_DEPOSIT_STATUSES } from './record';
import { creditPrice, isSettled, underDecision } from './rules';
import { depositView } from './view';

type DepositDeskServices = Pick<Services, 'database' | 'commands' | 'now'>;

const columns = columnsOf<Deposit>();

const paidText = (deposit: Deposit): string | null => netOf(deposit).map(moneyText).join(', ') || null;

const askedFor = ({ transfer: { terms } }: Deposit): Money | null =>
  terms && { amount: terms.chargedAmount, currency: terms.currency };

export function depositDesk(services: DepositDeskServices): Desk {
  const { database } = services;
  const open = openTransfers(services, {
    name: 'deposits',
    kind: depositKind,
    open: OPEN_DEPOSIT_STATUSES,
    columns: {
      method: columns.text('method', ({ transfer }) => transfer.terms?.method),
      askedFor: columns.money('asked for', askedFor),
    },
  });
  return defineDesk({
    name: 'deposit',
    title: 'Deposits by hosted checkout',
    lists: [
      transfersToDecide(services, {
        name: 'deposits',
        title: 'deposits in manual_review: credit or return the payment',
        kind: depositKind,
        waiting: { status: 'manual_review', kind: 'failure' },
        meaning: 'The code that says why.',
        columns: {
          why: columns.text('why', ({ transfer }) => transfer.failure),
          askedFor: columns.money('asked for', askedFor),
          paid: columns.text('paid', paidText),
          settled: columns.text('settled', (deposit) => (isSettled(deposit) ? 'yes' : 'no')),
          decision: columns.text('decision', underDecision),
        },
        decisions: ['deposit.approve', 'deposit.reject'],
      }),
      open.list,
    ],
    records: [
      record({
        kind: 'deposit',
        title: 'A deposit, or a payment without one',
        story: (id, limit) =>
          transferStory(services, depositKind, {
            id,
            limit,
            viewOf: async (deposit) =>
              deposit.transfer.tenantId === null ? {} : shown(database, deposit as Deposit),
          }),
      }),
    ],
    decisions: [review(services, 'approve'), review(services, 'reject'), refund(services)],
    figures: open.figures,
  });
}

const shown = async (sql: Sql, deposit: Deposit): Promise<object> =>
  depositView(await shownDeposit(sql, deposit));

const subjectOf = (services: DepositDeskServices) => transferSubject(services, depositKind, 'deposit');

/** The payer's money is compared too, because not every party numbers its reports. */
const restsOn = (deposit: Deposit) => ({
  status: deposit.transfer.status,
  reported: deposit.transfer.word?.version ?? null,
  paid: paidText(deposit),
  decisions: deposit.decisions.length,
});

async function doneOf(tx: Sql, { before, after }: DecidedDeposit, more: object = {}) {
  return {
    before: audited(before),
    after: { ...audited(after), ...more },
    result: await shown(tx, after),
  };
}

const audited = ({ transfer: { status, revision } }: Deposit) => ({ status, revision });

function review(services: DepositDeskServices, verb: 'approve' | 'reject'): Decision {
  const made = verb === 'approve' ? 'approved' : 'rejected';
  return decision<Deposit>({
    name: `deposit.${verb}`,
    title:
      verb === 'approve'
        ? 'credits what was paid, once it is settled'
        : 'returns what was paid to the payer; nothing is credited',
    permission: 'money',
    subject: subjectOf(services),
    ...(verb === 'approve' ? { reason: 'optional' } : {}),
    restsOn,
    async preview(tx, { subject }) {
      await judgeReview(tx, subject, made);
      return verb === 'approve' ? creditEffects(subject) : returnEffects(subject);
    },
    async execute(tx, { id }, { decidedBy, reason }) {
      const given = { depositId: id, decision: made, decidedBy, reason: reason ?? undefined } as const;
      return doneOf(tx, await decideDeposit(services, tx, given));
    },
  });
}

function creditEffects(deposit: Deposit): Effect[] {
  const { status, terms } = deposit.transfer;
  const [left] = undecidedOf(deposit);
  const price = terms && left && creditPrice(terms, left);
  if (!price) return [];
  const inAccount = (value: Decimal) => moneyText({ amount: value, currency: terms.accountCurrency });
  const then = isSettled(deposit) ? 'completed' : 'completed, once the payment is settled';
  return [
    { field: 'status', from: status, to: then },
    { field: 'credited', from: null, to: inAccount(price.creditedAmount) },
    { field: 'fee', from: null, to: inAccount(price.serviceFee) },
  ];
}

const returnEffects = (deposit: Deposit): Effect[] => [
  { field: 'returned to the payer', from: null, to: undecidedOf(deposit).map(moneyText).join(', ') },
];

function refund(services: DepositDeskServices): Decision {
  return decision<Deposit, { amount?: Decimal | undefined }>({
    name: 'deposit.refund',
    title: 'returns a completed deposit to its payer, or part of it',
    permission: 'money',
    subject: subjectOf(services),
    input: z.strictObject({
      amount: amount()
        .optional()
        .meta({ description: "In the payer's currency; all that is left without it." }),
    }),
    reason: 'optional',
    restsOn,
    async preview(tx, { subject, input }) {
      const { amount: back, left, currency } = await judgeRefund(tx, subject, input.amount);
      const text = (value: Decimal) => moneyText({ amount: value, currency });
      return [
        { field: 'left to refund', from: text(left), to: text(left.minus(back)) },
        { field: 'returned to the payer', from: null, to: text(back) },
      ];
    },
    async execute(tx, { id, input }, { decidedBy, reason }) {
      const given = { depositId: id, amount: input.amount, reason: reason ?? undefined };
      const decided = await refundDeposit(services, tx, { ...given, requestedBy: decidedBy });
      return doneOf(tx, decided, { amount: input.amount?.toFixed() ?? 'all' });
    },
  });
}
