import type { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import type { WaitingCount, WaitingPlace } from '../../kernel/db/waiting';
import type { IdKind } from '../../kernel/ids';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import type { Permission } from '../../kernel/permissions';

export interface Money {
  amount: Decimal;
  currency: string;
}

/** The value of a cell by the type of its column. An `id` leads to a record of the desk. */
interface CellTypes {
  id: string;
  text: string | number;
  money: Money;
  time: Date;
  status: string;
  /** The moment since which the row waits, or has its status. */
  since: Date;
}
export type ColumnType = keyof CellTypes;

export interface Column<Row = unknown, Type extends ColumnType = ColumnType> {
  type: Type;
  title: string;
  value(row: Row): CellTypes[Type] | null | undefined;
}

const columnOf =
  <Row, Type extends ColumnType>(type: Type) =>
  (title: string, value: (row: Row) => CellTypes[Type] | null | undefined): Column<Row, Type> => ({
    type,
    title,
    value,
  });

/** The columns of a sort of rows, by type: `money('total', (payout) => ({ amount, currency }))`. */
export const columnsOf = <Row>() => ({
  id: columnOf<Row, 'id'>('id'),
  text: columnOf<Row, 'text'>('text'),
  money: columnOf<Row, 'money'>('money'),
  time: columnOf<Row, 'time'>('time'),
  status: columnOf<Row, 'status'>('status'),
  since: columnOf<Row, 'since'>('since'),
});

export interface PageOfList<Filters> {
  filters: Filters;
  /** The last row of the previous page. */
  after: WaitingPlace | undefined;
  limit: number;
}

export interface ListSpec<Row, Filters extends z.ZodObject> {
  /** `payouts`. Unique in the installation. */
  name: string;
  /** Which rows the list shows. */
  title: string;
  /** Its command in the group of the desk: `reconcile` makes `chain reconcile`. Default: `list` for the first of a desk. */
  verb?: string;
  /** Default: `view`. */
  permission?: Permission;
  /** Optional fields of text, by which the rows are filtered. `waitingFilters` has those of most lists. */
  filters: Filters;
  /** Filters that take the id of a record, with its kinds. The record then leads to its rows: `{ account: ['account'] }`. */
  about?: Readonly<Record<string, readonly IdKind[]>>;
  /** In order of display, by their names on the wire. */
  columns: Readonly<Record<string, Column<Row>>>;
  /** Reads a page in the order of {@link place}. The query uses an index. @throws Problem 400 naming a filter */
  rows(page: PageOfList<z.output<Filters>>): Promise<Row[]>;
  /** The row's key in the order of the list. */
  place(row: Row): WaitingPlace;
  /** Present when the rows wait for a person: their number, and the age of the oldest, whose `place` holds its moment. */
  waitsSince?(sql: Sql, now: Date): Promise<WaitingCount>;
  /** The rows are failures, which the overview shows apart from other work: breaks, undelivered webhooks. */
  fails?: true;
  /** Names of the decisions that a row waits for. */
  decisions?: readonly string[];
}

/** A list of any rows. */
export type List = ListSpec<unknown, z.ZodObject>;

/** Declares a list of records: what waits for a person, or what a person looks through. */
export const list = <Row, Filters extends z.ZodObject>(spec: ListSpec<Row, Filters>): List => spec;

/** The page of a list whose rows are all read, because they are few. @param all in the order of {@link ListSpec.place} */
export function pageOfAll<Row>(
  all: readonly Row[],
  place: (row: Row) => WaitingPlace,
  { after, limit }: Pick<PageOfList<unknown>, 'after' | 'limit'>,
): Row[] {
  const from = after === undefined ? 0 : all.findIndex((row) => place(row).id === after.id) + 1;
  return all.slice(from, from + limit);
}

/** The cell on the wire: text, a number, or an amount with its currency. */
export type Cell = string | number | { amount: string; currency: string } | null;

/** A row on the wire, by the names of its columns. */
export function rowOf({ columns }: Pick<List, 'columns'>, row: unknown): Record<string, Cell> {
  return Object.fromEntries(Object.entries(columns).map(([name, { value }]) => [name, cellOf(value(row))]));
}

function cellOf(value: CellTypes[ColumnType] | null | undefined): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object') return value;
  return { amount: formatAmount(value.amount, value.currency), currency: value.currency };
}
