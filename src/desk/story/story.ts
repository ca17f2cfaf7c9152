import type { DeskDeps } from '../queue';

/** A line of a list of a story: plain values, times in ISO 8601, amounts as decimal strings. */
export type Line = Record<string, unknown>;

/** The lists that a story may have, each in the order of time, the oldest first. */
export const LISTS = [
  'words',
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

/** All that is known of a record, personal data masked: for people, and as JSON for programs. */
export interface Story {
  id: string;
  /** `payout`, `cardholder` … */
  what: string;
  tenantId: string | null;
  status: string | null;
  /** When it got its status, as far as that is known. */
  since: string | null;
  record: object;
  /** What drives it; its id at Temporal. */
  workflowId?: string;
  /** When it must have been looked at; overdue when that is five minutes ago. */
  dueBy?: string | null;
  overdue?: boolean;
  lists: Partial<Record<ListName, Line[]>>;
  /** Lists that are longer than was asked for: their newest lines are here. */
  cut: ListName[];
}

/** How a story is told of an id. @returns nothing when there is no such record */
export type Teller = (deps: DeskDeps, id: string, limit: number) => Promise<Story | undefined>;

export type Told = Omit<Story, 'id' | 'lists' | 'cut'>;

/** The newest lines of each list, and which of them have more. */
export function storyOf(id: string, told: Told, lists: Story['lists'], limit: number): Story {
  const cut = LISTS.filter((name) => (lists[name]?.length ?? 0) > limit);
  const kept = LISTS.flatMap((name) => {
    const lines = lists[name];
    return lines === undefined || lines.length === 0 ? [] : [[name, lines.slice(-limit)] as const];
  });
  return { id, ...told, lists: Object.fromEntries(kept), cut };
}
