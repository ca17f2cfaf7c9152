import type { Sql } from '../kernel/db/database';
import type { WaitingCount, WaitingFilter, WaitingPlace } from '../kernel/db/waiting';
import { invalid } from '../kernel/errors';
import { type Decimal, formatAmount } from '../kernel/money/money';
import type { DeskDeps } from '../process/desk/story';

/** A value in a table for people. */
export type Cell = string | number | null | undefined;

/** A record that waits for a person. */
export interface Waiting extends WaitingPlace {
  tenantId: string | null;
  /** In the order of the queue's columns. */
  cells: Cell[];
  /** The record as JSON. */
  record: unknown;
}

export interface Queue {
  name: string;
  /** Which records wait in the queue. */
  description: string;
  /** Meaning of the filter `kind`. Absent when the queue has no such filter. */
  kind?: string;
  /** Whether the queue can be filtered by currency. */
  byCurrency?: true;
  /** The rows are failures. */
  fails?: true;
  columns: readonly string[];
  /** Lists records, longest waiting first. @throws Problem 400 naming a filter that the queue does not have */
  list(deps: DeskDeps, filter: WaitingFilter): Promise<Waiting[]>;
  count(sql: Sql, now: Date): Promise<WaitingCount>;
}

interface QueueSpec<Item> extends Omit<Queue, 'list'> {
  load(deps: DeskDeps, filter: WaitingFilter): Promise<Item[]>;
  place(item: Item): WaitingPlace & { tenantId: string | null };
  cells(item: Item): Cell[];
  record(item: Item): unknown;
}

/** Builds a queue from records of any type. */
export function queueOf<Item>({ load, place, cells, record, ...queue }: QueueSpec<Item>): Queue {
  return {
    ...queue,
    async list(deps, filter) {
      const items = await load(deps, filter);
      return items.map((item) => ({ ...place(item), cells: cells(item), record: record(item) }));
    },
  };
}

export const shownMoney = (amount: Decimal, currency: string): string =>
  `${formatAmount(amount, currency)} ${currency}`;

/** A page of a queue. */
export interface WaitingPage {
  items: Waiting[];
  /** Cursor of the next page. Absent on the last page. */
  next?: string;
}

/** @param after `next` of the previous page @throws Problem 400 */
export async function pageOfQueue(
  deps: DeskDeps,
  { list }: Pick<Queue, 'list'>,
  { after, limit, ...filter }: Omit<WaitingFilter, 'after'> & { after?: string | undefined },
): Promise<WaitingPage> {
  const place = after === undefined ? undefined : placeOf(after);
  const found = await list(deps, { ...filter, after: place, limit: limit + 1 });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last ? { items, next: cursorOf(last) } : { items };
}

const cursorOf = ({ since, id }: WaitingPlace): string => `${since.toISOString()}_${id}`;

function placeOf(cursor: string): WaitingPlace {
  const at = cursor.indexOf('_');
  const since = new Date(cursor.slice(0, Math.max(0, at)));
  if (at < 0 || Number.isNaN(since.getTime())) throw invalid('after is not a valid cursor.', 'after');
  return { since, id: cursor.slice(at + 1) };
}
