import type { Tx } from '../kernel/db/database';
import { type Decision, decision, type SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { columnsOf, list } from '../process/desk/list';
import { waitingFilterOf, waitingFilters } from '../process/desk/waiting-filters';
import type { Services } from '../services';
import {
  judgeScreening,
  lockScreened,
  previewVerdict,
  readScreened,
  type ScreenedTransfer,
  weighVerdict,
} from './judge-screening';
import { TRANSFER_KINDS } from './kinds';
import { countPending, pendingScreenings } from './screening/operations';
import type { Screening, Verdict } from './screening/record';

type ScreeningServices = Pick<Services, 'database' | 'commands' | 'now'>;

const columns = columnsOf<Screening>();

/** The desk of screenings that a transfer waits for. People may decide in place of the party. */
export function screeningDesk(services: ScreeningServices): Desk {
  const { database, now } = services;
  const decisions = VERDICTS.map((verdict) => screeningDecision(services, verdict));
  return defineDesk({
    name: 'screening',
    title: 'Screenings of payments on chains',
    lists: [
      list({
        name: 'screenings',
        title: 'deposits and payouts that wait for the screening party',
        filters: waitingFilters({ kind: 'The direction: inbound, outbound.', currency: true }),
        columns: {
          id: columns.id('transfer', ({ subject }) => subject),
          client: columns.id('client', ({ tenantId }) => tenantId),
          kind: columns.text('direction', ({ direction }) => direction),
          chain: columns.text('chain', ({ chain }) => chain),
          amount: columns.money('amount', ({ amount, asset: currency }) => ({ amount, currency })),
          status: columns.status('status', ({ status }) => status),
          since: columns.since('since', ({ askedAt }) => askedAt),
        },
        rows: (page) => pendingScreenings(database, waitingFilterOf(page, now())),
        place: ({ key, askedAt }) => ({ since: askedAt, id: key }),
        waitsSince: (sql) => countPending(sql),
        decisions: decisions.map(({ name }) => name),
      }),
    ],
    decisions,
    figures: [],
  });
}

interface VerdictSpec {
  verb: string;
  verdict: Verdict;
  title: string;
}

const VERDICTS: readonly VerdictSpec[] = [
  {
    verb: 'refuse',
    verdict: 'refused',
    title: 'ends the wait by a refusal: a payout fails, and a deposit stands in suspense',
  },
  {
    verb: 'clear',
    verdict: 'cleared',
    title: 'clears what the screening party left open or refused: a payout is ordered, a deposit is credited',
  },
];

/** One operator refuses, because that is the safe direction. Two operators clear, at any amount. */
function screeningDecision(services: ScreeningServices, { verb, verdict, title }: VerdictSpec): Decision {
  const ofTwo = {
    takesTwo: 'always' as const,
    weigh: async (tx: Tx, { subject }: { subject: ScreenedTransfer }) => ({
      ...(await weighVerdict(tx, subject, verdict)),
      ever: true,
    }),
  };
  return decision<ScreenedTransfer>({
    name: `screening.${verb}`,
    title,
    permission: 'money',
    subject: subjectOf(services),
    ...(verdict === 'cleared' ? ofTwo : {}),
    restsOn: ({ situation: { transfer, decisions }, screening }) => ({
      status: transfer.status,
      screening: screening?.key ?? null,
      result: screening?.status ?? null,
      reason: screening?.reason ?? null,
      decisions: decisions.length,
    }),
    preview: (tx, { subject }) => previewVerdict(tx, subject, verdict),
    async execute(tx, { id, subject }, { decidedBy, reason }) {
      const { transfer } = await judgeScreening(services, tx, subject, { verdict, reason, decidedBy });
      const { status, failure } = transfer;
      return {
        before: {
          status: subject.situation.transfer.status,
          screening: subject.screening?.status ?? null,
        },
        after: { status, screening: verdict },
        result: { transferId: id, status, failure, screening: verdict },
      };
    },
  });
}

const subjectOf = ({ now }: ScreeningServices): SubjectSpec<ScreenedTransfer> => ({
  noun: 'transfer',
  kinds: TRANSFER_KINDS.filter(({ screening }) => screening !== undefined).map(({ idKind }) => idKind),
  read: (sql, id) => readScreened(sql, id, now()),
  lock: (tx, id) => lockScreened(tx, id, now()),
  tenantOf: ({ situation }) => situation.transfer.tenantId,
});
