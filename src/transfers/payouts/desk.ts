import { notFound } from '../../kernel/errors';
import type { IdKind } from '../../kernel/ids';
import { formatAmount } from '../../kernel/money/money';
import { PAYOUT_METHODS } from '../../parties/payouts/port';
import { type Decision, decision, type Effect, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { gauge, series } from '../../process/desk/figure';
import { columnsOf, list, type Money } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import type { Services } from '../../services';
import { assertDecidable, decideApproval } from '../approval/decide';
import { effective } from '../engine/conclusion';
import { countByHour, countByStatus, lockTransfer, readSituation, transfersIn } from '../engine/read';
import { transferStory } from '../engine/story';
import { countPayoutsToApprove, payoutsToApprove, shownPayout } from './create';
import { payoutKind } from './kind';
import type { PayoutKind } from './paid-by-party';
import { isFinal, PAYOUT_STATUSES, type Payout, type ShownPayout, totalDebit } from './record';
import { revealDestination } from './reveal';
import { payoutView } from './view';

export type PayoutDeskServices = Pick<Services, 'database' | 'keyring' | 'commands' | 'now'>;

export const payoutDesk = (services: PayoutDeskServices): Desk =>
  deskOfPayouts(services, {
    noun: 'payout',
    id: 'payout',
    title: 'Payouts of accounts',
    kind: payoutKind,
    view: payoutView,
  });

/** The differences between the desks of the kinds of payouts. */
export interface PayoutDeskSpec {
  /** Group of commands, and beginning of names: `iban-payout`. */
  noun: string;
  id: IdKind;
  title: string;
  kind: PayoutKind;
  view(payout: ShownPayout): object;
}

const waiting = columnsOf<ShownPayout>();
const open = columnsOf<Payout>();

const OPEN = PAYOUT_STATUSES.filter((status) => !isFinal(status));

export function deskOfPayouts(services: PayoutDeskServices, spec: PayoutDeskSpec): Desk {
  const { database, keyring, now } = services;
  const { noun, id, title, kind, view } = spec;
  const viewOf = async (payout: Payout) => view(await shownPayout(database, kind, payout));
  return defineDesk({
    name: noun,
    title,
    lists: [
      list({
        name: `${noun}s`,
        title: `${noun}s in pending_approval, above their tenant's threshold: approve or reject`,
        filters: waitingFilters({ kind: `The method: ${PAYOUT_METHODS.join(', ')}.`, currency: true }),
        columns: {
          id: waiting.id('id', ({ payout }) => payout.transfer.id),
          client: waiting.id('client', ({ payout }) => payout.transfer.tenantId),
          account: waiting.id('account', ({ payout }) => payout.transfer.accountId),
          method: waiting.text('method', ({ payout }) => payout.transfer.terms.method),
          total: waiting.money('total', ({ payout }) => totalOf(payout)),
          since: waiting.since('since', ({ payout }) => payout.transfer.updatedAt),
        },
        rows: (page) => payoutsToApprove(services, kind, waitingFilterOf(page, now())),
        place: ({ payout: { transfer } }) => ({ since: transfer.updatedAt, id: transfer.id }),
        waitsSince: (sql) => countPayoutsToApprove(sql, kind),
        decisions: [`${noun}.approve`, `${noun}.reject`],
      }),
      list({
        name: `${noun}s-open`,
        title: `${noun}s that have not ended, oldest first`,
        filters: waitingFilters({ kind: `The status: ${OPEN.join(', ')}.`, currency: true }),
        columns: {
          id: open.id('id', ({ transfer }) => transfer.id),
          client: open.id('client', ({ transfer }) => transfer.tenantId),
          account: open.id('account', ({ transfer }) => transfer.accountId),
          method: open.text('method', ({ transfer }) => transfer.terms.method),
          total: open.money('total', totalOf),
          status: open.status('status', ({ transfer }) => transfer.status),
          since: open.since('since', ({ transfer }) => transfer.updatedAt),
          created: open.time('created', ({ transfer }) => transfer.createdAt),
        },
        rows: (page) => transfersIn(services, kind, OPEN, waitingFilterOf(page, now())),
        place: ({ transfer }) => ({ since: transfer.createdAt, id: transfer.id }),
      }),
    ],
    records: [
      record({
        kind: id,
        title,
        story: (wanted, limit) =>
          transferStory(services, kind, {
            id: wanted,
            limit,
            viewOf: (payout) => viewOf(payout as Payout),
          }),
        async reveal(tx, wanted) {
          const payout = await readSituation(tx, kind, wanted, now());
          if (!payout) throw notFound(kind.noun);
          const data = await revealDestination(tx, keyring, kind, wanted);
          return { action: `${kind.name}.reveal`, tenantId: payout.transfer.tenantId, data };
        },
      }),
    ],
    decisions: [approveOrReject(services, spec, 'approve'), approveOrReject(services, spec, 'reject')],
    figures: [
      gauge({
        name: `${noun}s-open`,
        title: `${noun}s that have not ended`,
        unit: 'payouts',
        values: async () =>
          (await countByStatus(database, kind, OPEN)).map(({ status, count }) => ({
            labels: { status },
            value: count,
          })),
      }),
      series({
        name: `${noun}s`,
        title: `${noun}s by the hour of their creation and their present status`,
        unit: 'payouts',
        points: async (from, to) =>
          (await countByHour(database, id, { from, to })).map(({ at, status, count }) => ({
            at,
            labels: { status },
            value: count,
          })),
      }),
    ],
  });
}

const totalOf = ({ transfer: { terms } }: Payout): Money => ({
  amount: totalDebit(terms),
  currency: terms.currency,
});

const subjectOf = ({ now }: PayoutDeskServices, { id, kind }: PayoutDeskSpec): SubjectSpec<Payout> => ({
  noun: kind.noun,
  kinds: [id],
  async read(sql, wanted) {
    const found = await readSituation(sql, kind, wanted, now());
    return found && effective(kind, found);
  },
  async lock(tx, wanted) {
    const locked = await lockTransfer(tx, kind, wanted, now());
    return locked && effective(kind, locked.situation as Payout);
  },
  tenantOf: ({ transfer }) => transfer.tenantId,
});

function approveOrReject(
  services: PayoutDeskServices,
  spec: PayoutDeskSpec,
  verb: 'approve' | 'reject',
): Decision {
  const { noun, kind, view } = spec;
  const made = verb === 'approve' ? 'approved' : 'rejected';
  return decision<Payout>({
    name: `${noun}.${verb}`,
    title:
      verb === 'approve'
        ? 'lets the payout be ordered of the party'
        : 'releases what is held; the client reads the reason',
    permission: 'money',
    subject: subjectOf(services, spec),
    ...(verb === 'approve' ? { reason: 'optional' } : {}),
    restsOn: ({ transfer: { status, word }, decisions }) => ({
      status,
      reported: word?.version ?? null,
      decisions: decisions.length,
    }),
    async preview(tx, { subject }) {
      await assertDecidable(tx, kind, subject, made);
      return effectsOf(subject, verb);
    },
    async execute(tx, { id, subject }, { decidedBy, reason }) {
      const given = { id, decision: made, decidedBy, reason: reason ?? undefined } as const;
      const { after } = await decideApproval(services, tx, kind, given);
      return {
        before: { status: subject.transfer.status },
        after: { status: after.transfer.status },
        result: view(await shownPayout(tx, kind, after)),
      };
    },
  });
}

function effectsOf({ transfer: { status, terms } }: Payout, verb: 'approve' | 'reject'): Effect[] {
  const total = `${formatAmount(totalDebit(terms), terms.currency)} ${terms.currency}`;
  const received = `${formatAmount(terms.receivedAmount, terms.receivedCurrency)} ${terms.receivedCurrency}`;
  return verb === 'approve'
    ? [
        { field: 'status', from: status, to: 'processing' },
        { field: 'ordered of the party', from: null, to: received },
      ]
    : [
        { field: 'status', from: status, to: 'rejected' },
        { field: 'held', from: total, to: null },
      ];
}
