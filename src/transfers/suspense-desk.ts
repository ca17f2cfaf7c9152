import { z } from 'zod';
import { requireCard, requireLockedCard } from '../cards/cards/operations';
import type { Sql } from '../kernel/db/database';
import { Problem } from '../kernel/errors';
import { isId } from '../kernel/ids';
import { Decimal, formatAmount, moneyText } from '../kernel/money/money';
import { amount, currency, identifier } from '../kernel/wire/schemas';
import { sumOpenBreaks } from '../process/breaks/operations';
import { type Decision, decision, type Judged, type SubjectSpec } from '../process/desk/decision';
import { type Desk, defineDesk } from '../process/desk/desk';
import { gauge } from '../process/desk/figure';
import { columnsOf, list } from '../process/desk/list';
import { waitingFilterOf, waitingFilters } from '../process/desk/waiting-filters';
import type { Services } from '../services';
import { resolveCardSuspense, suspenseOfCard, weighCardResolution } from './card-suspense';
import { holdTransfer } from './conclude';
import type { ResolutionKind } from './engine/books/resolutions';
import { SUSPENSE } from './engine/breaks';
import { effective } from './engine/conclusion';
import { readSituation, type SuspenseItem } from './engine/read';
import { first } from './engine/record';
import { requireKind, TRANSFER_IDS } from './kinds';
import { SCREENING_REFUSED } from './screening/record';
import {
  countSuspense,
  leftOf,
  listSuspense,
  resolveSuspense,
  suspenseOf,
  weighResolution,
} from './suspense';

const columns = columnsOf<SuspenseItem>();

type SuspenseServices = Pick<Services, 'database' | 'commands' | 'now'>;

/** The desk of money that has no owner yet, or that we can claim (decisions part 2, Suspense is a room with doors). */
export function suspenseDesk(services: SuspenseServices): Desk {
  const { database, now } = services;
  return defineDesk({
    name: 'suspense',
    title: 'Money without an owner',
    lists: [
      list({
        name: 'suspense',
        title: 'money of transfers without an owner yet, or that we can claim',
        filters: waitingFilters({ kind: 'The kind of transfer.', currency: true }).extend({
          transfer: identifier('dep_01jz0000000000000000000000')
            .optional()
            .meta({ description: 'Id of a transfer, or of a closed card.' }),
        }),
        columns: {
          id: columns.id('transfer', ({ transferId }) => transferId),
          kind: columns.text('kind', ({ kind }) => kind),
          client: columns.id('client', ({ tenantId }) => tenantId),
          account: columns.id('account', ({ accountId }) => accountId),
          status: columns.status('status', ({ status }) => status),
          amount: columns.money('amount', (item) => item),
          since: columns.since('since', ({ since }) => since),
        },
        rows: (page) => {
          const { transfer } = page.filters;
          if (transfer === undefined) return listSuspense(database, waitingFilterOf(page, now()));
          return isId('card', transfer) ? suspenseOfCard(database, transfer) : suspenseOf(database, transfer);
        },
        place: ({ transferId, currency: code, since }) => ({ since, id: `${transferId}:${code}` }),
        waitsSince: (sql) => countSuspense(sql),
        decisions: RESOLUTIONS.map(({ verb }) => `suspense.${verb}`),
      }),
    ],
    decisions: RESOLUTIONS.map((resolution) => resolutionOf(services, resolution)),
    figures: [
      gauge({
        name: 'suspense',
        title: 'money in suspense (held), and money to claim (missing)',
        unit: 'amounts',
        values: async () =>
          (await sumOpenBreaks(database, SUSPENSE)).map(({ currency: code, negative, amount: sum }) => ({
            labels: { currency: code, side: negative ? 'missing' : 'held' },
            value: formatAmount(new Decimal(sum), code),
          })),
      }),
    ],
  });
}

interface Resolution {
  verb: string;
  resolution: ResolutionKind;
  title: string;
  /** Where the money goes to, or comes from. */
  other: string;
  /** Whether it names an account. */
  takesAccount?: true;
}

const RESOLUTIONS: readonly Resolution[] = [
  {
    verb: 'return',
    resolution: 'return',
    title: 'sends it back to the payer, by the party',
    other: 'to the payer',
  },
  {
    verb: 'credit',
    resolution: 'credit',
    title: 'gives it to the account of its owner',
    other: 'to the account',
    takesAccount: true,
  },
  { verb: 'write-off', resolution: 'write_off', title: 'books it to losses', other: 'losses' },
  {
    verb: 'recover',
    resolution: 'recover',
    title: 'takes what is below zero from an account',
    other: 'from the account',
    takesAccount: true,
  },
];

/** A transfer, or a closed card, with its free money in suspense by currency. */
interface InSuspense {
  tenantId: string | null;
  status: string;
  left: Map<string, Decimal>;
  /** Whether the screening party has refused it, so that two operators decide on its money. */
  isRefused?: boolean;
}

async function readSuspense(sql: Sql, id: string, at: Date): Promise<InSuspense | undefined> {
  if (isId('card', id)) {
    const { tenantId, status } = await requireCard(sql, null, id);
    const items = await suspenseOfCard(sql, id);
    return { tenantId, status, left: new Map(items.map((item) => [item.currency, item.amount])) };
  }
  const kind = await requireKind(sql, id);
  const found = await readSituation(sql, kind, id, at);
  if (!found) return undefined;
  const situation = effective(kind, found);
  const { tenantId, status } = situation.transfer;
  const isRefused = first(situation, SCREENING_REFUSED) !== undefined;
  return { tenantId, status, left: leftOf(kind, situation), isRefused };
}

const subjectOf = ({ now }: SuspenseServices): SubjectSpec<InSuspense> => ({
  noun: 'transfer',
  kinds: [...TRANSFER_IDS, 'card'],
  read: (sql, id) => ifThere(() => readSuspense(sql, id, now())),
  lock: (tx, id) =>
    ifThere(async () => {
      if (isId('card', id)) await requireLockedCard(tx, id);
      else await holdTransfer(tx, id, now());
      return readSuspense(tx, id, now());
    }),
  tenantOf: ({ tenantId }) => tenantId,
});

/** Undefined for an id of no record. */
const ifThere = <T>(read: () => Promise<T | undefined>): Promise<T | undefined> =>
  read().catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  });

interface ResolutionInput {
  amount?: Decimal | undefined;
  currency?: string | undefined;
  account?: string | undefined;
}

const inputOf = ({ takesAccount }: Resolution): z.ZodType<ResolutionInput> => {
  const fields = {
    amount: amount().optional().meta({ description: 'All that is left without it.' }),
    currency: currency().optional().meta({ description: 'Where more than one is in suspense.' }),
  };
  return takesAccount
    ? z.strictObject({ ...fields, account: identifier('acc_01jz0000000000000000000000') })
    : z.strictObject(fields);
};

function resolutionOf(services: SuspenseServices, spec: Resolution): Decision {
  const { now } = services;
  const { verb, resolution, title, other } = spec;
  const given = ({ id, input: { account, ...money } }: Judged<InSuspense, ResolutionInput>) => ({
    ...money,
    transferId: id,
    accountId: account,
    resolution,
    reason: '',
  });
  return decision<InSuspense, ResolutionInput>({
    name: `suspense.${verb}`,
    title,
    permission: 'money',
    subject: subjectOf(services),
    ...(resolution === 'credit' || resolution === 'write_off'
      ? { takesTwo: { underDualControl: (_tx, { subject }) => subject.isRefused === true } }
      : {}),
    input: inputOf(spec),
    restsOn: ({ status, left }) => ({
      status,
      ...Object.fromEntries([...left].map(([code, free]) => [`left in ${code}`, free.toFixed()])),
    }),
    async weigh(tx, judged) {
      const asked = given(judged);
      const weighed = isId('card', judged.id)
        ? await weighCardResolution(tx, asked)
        : await weighResolution(tx, asked, judged.at);
      return { amount: weighed.amount, currency: weighed.currency, ever: true };
    },
    async preview(tx, judged) {
      const asked = given(judged);
      const { amount: moved, currency: code } = isId('card', judged.id)
        ? await weighCardResolution(tx, asked)
        : await weighResolution(tx, asked, judged.at);
      const left = judged.subject.left.get(code) ?? moved;
      const text = (value: Decimal) => moneyText({ amount: value, currency: code });
      return [
        {
          field: 'suspense',
          from: text(left),
          to: text(left.isNegative() ? left.plus(moved) : left.minus(moved)),
        },
        { field: other, from: null, to: text(moved) },
      ];
    },
    async execute(tx, judged, { decidedBy, reason }) {
      const used = { ...given(judged), reason: reason ?? '', decidedBy };
      if (isId('card', judged.id)) await resolveCardSuspense(tx, used, now());
      else await resolveSuspense(services, tx, used);
      const after = await readSuspense(tx, judged.id, now());
      const { amount: moved, account } = judged.input;
      return {
        after: { amount: moved?.toFixed() ?? 'all', accountId: account ?? null },
        result: { transferId: judged.id, left: leftText(after) },
      };
    },
  });
}

const leftText = (subject: InSuspense | undefined): { amount: string; currency: string }[] =>
  [...(subject?.left ?? [])]
    .filter(([, free]) => !free.isZero())
    .map(([code, free]) => ({ amount: formatAmount(free, code), currency: code }));
