import type { Sql } from '../../kernel/db/database';
import type { SubjectSpec } from '../../process/desk/decision';
import { type Figure, gauge, series } from '../../process/desk/figure';
import { type Column, columnsOf, type List, list } from '../../process/desk/list';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import type { Services } from '../../services';
import { effective } from './conclusion';
import type { TransferKind } from './kind';
import {
  countByHour,
  countByStatus,
  countWaitingForOperator,
  lockTransfer,
  readSituation,
  transfersIn,
  type WaitingTransfers,
  waitingForOperator,
} from './read';
import type { PartyWord, Situation } from './record';

/** The parts that the desks of all kinds of transfers share: subject, lists, figures. */

type TransferDeskServices = Pick<Services, 'database' | 'now'>;

/** A transfer of one kind as the subject of a decision, with the word that counts. */
export const transferSubject = <Terms, Word extends PartyWord>(
  { now }: Pick<Services, 'now'>,
  kind: TransferKind<Terms, Word>,
  noun: string,
): SubjectSpec<Situation<Terms, Word>> => ({
  noun,
  kinds: [kind.idKind],
  async read(sql, wanted) {
    const found = await readSituation(sql, kind, wanted, now());
    return found && effective(kind, found);
  },
  async lock(tx, wanted) {
    const locked = await lockTransfer(tx, kind, wanted, now());
    return locked && effective(kind, locked.situation as Situation<Terms, Word>);
  },
  tenantOf: ({ transfer }) => transfer.tenantId,
});

export interface ToDecide<Terms, Word extends PartyWord> {
  /** `payouts`. */
  name: string;
  title: string;
  kind: TransferKind<Terms, Word>;
  waiting: WaitingTransfers;
  /** Meaning of the filter `kind`. Absent: the list has none. */
  meaning?: string;
  /** Columns of the kind, shown between client and time. */
  columns: Readonly<Record<string, Column<Situation<Terms, Word>>>>;
  decisions: readonly string[];
}

/** The list of a kind's transfers that wait for an operator's decision. */
export function transfersToDecide<Terms, Word extends PartyWord>(
  services: TransferDeskServices,
  { name, title, kind, waiting, meaning, columns: own, decisions }: ToDecide<Terms, Word>,
): List {
  const columns = columnsOf<Situation<Terms, Word>>();
  return list({
    name,
    title,
    filters: waitingFilters(meaning === undefined ? { currency: true } : { kind: meaning, currency: true }),
    columns: {
      id: columns.id('id', ({ transfer }) => transfer.id),
      client: columns.id('client', ({ transfer }) => transfer.tenantId),
      ...own,
      since: columns.since('since', ({ transfer }) => transfer.updatedAt),
    },
    rows: (page) => waitingForOperator(services, kind, waiting, waitingFilterOf(page, services.now())),
    place: ({ transfer }) => ({ since: transfer.updatedAt, id: transfer.id }),
    waitsSince: (sql) => countWaitingForOperator(sql, kind, waiting),
    decisions,
  });
}

export interface OpenTransfers<Terms, Word extends PartyWord> {
  /** Plural of the kind, `payouts`. It begins the names of the list and of the figures. */
  name: string;
  kind: TransferKind<Terms, Word>;
  /** Statuses in which a transfer has not ended, all of them in the index `transfers_open`. */
  open: readonly string[];
  /** Columns of the kind, shown between account and status. */
  columns: Readonly<Record<string, Column<Situation<Terms, Word>>>>;
  /** Names of decisions on a row. */
  decisions?: readonly string[];
}

/** The list of a kind's open transfers, their number by status, and the number of transfers made in each hour. */
export function openTransfers<Terms, Word extends PartyWord>(
  services: TransferDeskServices,
  { name, kind, open, columns: own, decisions = [] }: OpenTransfers<Terms, Word>,
): { list: List; figures: Figure[] } {
  const { database, now } = services;
  const what = name.replaceAll('-', ' ');
  const columns = columnsOf<Situation<Terms, Word>>();
  return {
    list: list({
      name: `${name}-open`,
      title: `${what} that have not ended, oldest first`,
      filters: waitingFilters({ kind: `The status: ${open.join(', ')}.`, currency: true }),
      columns: {
        id: columns.id('id', ({ transfer }) => transfer.id),
        client: columns.id('client', ({ transfer }) => transfer.tenantId),
        account: columns.id('account', ({ transfer }) => transfer.accountId),
        ...own,
        status: columns.status('status', ({ transfer }) => transfer.status),
        since: columns.since('since', ({ transfer }) => transfer.updatedAt),
        created: columns.time('created', ({ transfer }) => transfer.createdAt),
      },
      rows: (page) => transfersIn(services, kind, open, waitingFilterOf(page, now())),
      place: ({ transfer }) => ({ since: transfer.createdAt, id: transfer.id }),
      decisions,
    }),
    figures: [
      gauge({
        name: `${name}-open`,
        title: `${what} that have not ended`,
        unit: what,
        values: async () =>
          (await countByStatus(database, kind, open)).map(({ status, count }) => ({
            labels: { status },
            value: count,
          })),
      }),
      transfersByHour(database, kind, {
        name,
        title: `${what} by the hour of their creation and their present status`,
        unit: what,
      }),
    ],
  };
}

/** How many transfers of a kind were made in each hour, by their present status. */
const transfersByHour = (
  database: Sql,
  { name, idKind: id }: Pick<TransferKind<never, never>, 'name' | 'idKind'>,
  figure: { name: string; title: string; unit: string },
): Figure =>
  series({
    ...figure,
    points: async (from, to) =>
      (await countByHour(database, { id, kind: name }, { from, to })).map(({ at, status, count }) => ({
        at,
        labels: { status },
        value: count,
      })),
  });
