import type { Database } from '../../kernel/db/database';

/** Dependencies of stories. */
export interface DeskDeps {
  database: Database;
  now(): Date;
}

/** A line in a list of a story: plain values, times in ISO 8601, amounts as decimal strings. */
export type Line = Record<string, unknown>;

/** Lists of a story, each sorted by time, oldest first. */
export const LISTS = [
  'words',
  'screenings',
  'decisions',
  'booked',
  'entries',
  'transactions',
  'documents',
  'related',
  'events',
  'breaks',
  'commands',
  'audit',
] as const;
export type ListName = (typeof LISTS)[number];

/** Everything known about a record, with masked personal data, for people and as JSON for programs. */
export interface Story {
  id: string;
  /** `payout`, `cardholder` … */
  what: string;
  tenantId: string | null;
  status: string | null;
  /** When the record got its status, if known. */
  since: string | null;
  record: object;
  /** Id of the record's workflow at Temporal. */
  workflowId?: string;
  /** When the record must have been processed. Five minutes later it is overdue. */
  dueBy?: string | null;
  overdue?: boolean;
  lists: Partial<Record<ListName, Line[]>>;
  /** Lists that were cut to their newest lines. */
  cut: ListName[];
}

/** Builds the story of an id. @returns undefined when there is no such record */
export type Teller = (deps: DeskDeps, id: string, limit: number) => Promise<Story | undefined>;

export type Told = Omit<Story, 'id' | 'lists' | 'cut'>;

/** Keeps the newest lines of each list and notes which lists were cut. */
export function storyOf(id: string, told: Told, lists: Story['lists'], limit: number): Story {
  const cut = LISTS.filter((name) => (lists[name]?.length ?? 0) > limit);
  const kept = LISTS.flatMap((name) => {
    const lines = lists[name];
    return lines === undefined || lines.length === 0 ? [] : [[name, lines.slice(-limit)] as const];
  });
  return { id, ...told, lists: Object.fromEntries(kept), cut };
}
