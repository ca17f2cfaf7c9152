import { notFound } from '../../kernel/errors';
import { moneyText } from '../../kernel/money/money';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import type { Effect } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, type Money } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import type { Services } from '../../services';
import { TO_APPROVE } from '../approval/decide';
import { approvalDecisions } from '../approval/desk';
import { openTransfers, transferSubject, transfersToDecide } from '../engine/desk';
import { readSituation } from '../engine/read';
import { transferStory } from '../engine/story';
import { shownPayout } from './create';
import { payoutKind } from './kind';
import type { PayoutKind } from './paid-by-party';
import { recallDecision, recallStateOf } from './recall-desk';
import { OPEN_PAYOUT_STATUSES, type Outgoing, type Payout, type ShownPayout, totalDebit } from './record';
import { destinationOf } from './reveal';
import { payoutView } from './view';

export type PayoutDeskServices = Pick<Services, 'database' | 'keyring' | 'commands' | 'parties' | 'now'>;

export const payoutDesk = (services: PayoutDeskServices): Desk =>
  deskOfPayouts(services, {
    noun: 'payout',
    title: 'Payouts of accounts',
    kind: payoutKind,
    view: payoutView,
  });

/** The differences between the desks of the kinds of payouts. */
export interface PayoutDeskSpec {
  /** Group of commands, and beginning of names: `iban-payout`. */
  noun: string;
  title: string;
  kind: PayoutKind;
  view(payout: ShownPayout): object;
}

const columns = columnsOf<Payout>();

export function deskOfPayouts(services: PayoutDeskServices, spec: PayoutDeskSpec): Desk {
  const { keyring, now } = services;
  const { noun, title, kind, view } = spec;
  const subject = transferSubject(services, kind, kind.noun);
  const open = openTransfers(services, {
    name: `${noun}s`,
    kind,
    open: OPEN_PAYOUT_STATUSES,
    columns: {
      method: columns.text('method', ({ transfer }) => transfer.terms.method),
      total: columns.money('total', totalOf),
    },
  });
  return defineDesk({
    name: noun,
    title,
    lists: [
      transfersToDecide(services, {
        name: `${noun}s`,
        title: `${noun}s in pending_approval, above their tenant's threshold or to a new destination: approve or reject`,
        kind,
        waiting: { ...TO_APPROVE, kind: `terms->>'method'` },
        meaning: `The method: ${PAYOUT_METHODS.join(', ')}.`,
        columns: {
          account: columns.id('account', ({ transfer }) => transfer.accountId),
          method: columns.text('method', ({ transfer }) => transfer.terms.method),
          total: columns.money('total', totalOf),
        },
        decisions: [`${noun}.approve`, `${noun}.reject`],
      }),
      open.list,
    ],
    records: [
      record({
        kind: kind.idKind,
        title,
        story: (wanted, limit) =>
          transferStory(services, kind, {
            id: wanted,
            limit,
            viewOf: async (found) => {
              const payout = found as Payout;
              const recall = await recallStateOf(services, payout);
              return { ...view(await shownPayout(services, kind, payout)), ...(recall ? { recall } : {}) };
            },
          }),
        reveal: {
          permission: 'money',
          async read(tx, wanted) {
            const payout = await readSituation(tx, kind, wanted, now());
            if (!payout) throw notFound(kind.noun);
            const data = await destinationOf(tx, keyring, kind.table, wanted);
            return { action: `${kind.name}.reveal`, tenantId: payout.transfer.tenantId, data };
          },
        },
      }),
    ],
    decisions: [
      ...approvalDecisions<Payout>(services, {
        noun,
        titles: {
          approve: 'lets the payout be ordered of the party',
          reject: 'releases what is held; the client reads the reason',
        },
        subject,
        kindOf: () => kind,
        effectsOf: outgoingEffects,
        view: async (sql, payout) => view(await shownPayout({ keyring, database: sql }, kind, payout)),
      }),
      recallDecision(services, { noun, subject }),
    ],
    figures: open.figures,
  });
}

/** The whole debit. */
export const totalOf = ({ transfer: { terms } }: Outgoing): Money => ({
  amount: totalDebit(terms),
  currency: terms.currency,
});

/** The effects of a decision on money that a party pays out of an account. */
export function outgoingEffects(outgoing: Outgoing, verb: 'approve' | 'reject'): Effect[] {
  const { status, terms } = outgoing.transfer;
  const received = { amount: terms.receivedAmount, currency: terms.receivedCurrency };
  const { rest } = terms;
  return verb === 'approve'
    ? [
        { field: 'status', from: status, to: 'processing' },
        { field: 'ordered of the party', from: null, to: moneyText(received) },
        ...(rest ? [{ field: 'new destination', from: `rests until ${rest.until}`, to: 'is known' }] : []),
      ]
    : [
        { field: 'status', from: status, to: 'rejected' },
        { field: 'held', from: moneyText(totalOf(outgoing)), to: null },
      ];
}
