import { auditOf } from '../../kernel/audit/audit';
import type { Sql } from '../../kernel/db/database';
import { eventsAbout } from '../../kernel/outbox/told-events';
import { commandsFor } from '../../kernel/outbox/waiting-commands';
import { STALE_MS } from '../../kernel/temporal/stale';
import { breaksOf } from '../breaks/operations';
import { breakView } from '../breaks/view';
import type { Line, Story } from './story';

/** Subject of the lists that each story has. */
export interface CommonOf {
  id: string;
  /** References of the record's account and card transactions. */
  references?: readonly string[];
  workflowId?: string | undefined;
}

/** Webhooks with their delivery, breaks, waiting workflow commands, and lines of the audit log. */
export async function commonLists(
  sql: Sql,
  { id, references = [], workflowId }: CommonOf,
  limit: number,
): Promise<Pick<Story['lists'], 'events' | 'breaks' | 'audit' | 'commands'>> {
  const events = await eventsAbout(sql, { record: id, references }, limit + 1);
  const breaks = await breaksOf(sql, id, limit + 1);
  const lines = await auditOf(sql, id, limit + 1);
  const commands = workflowId === undefined ? [] : await commandsFor(sql, workflowId);
  return {
    events: events.map(({ tenantId: _, registration: __, ...event }) => line(event)),
    breaks: breaks.map((each) => {
      const { tenantId: _, subject: __, ...shown } = breakView(each);
      return line(shown);
    }),
    audit: lines.map(line),
    commands: commands.map(line),
  };
}

/** Converts times to text and drops undefined values. */
export function line(values: object): Line {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : (value as unknown)]),
  );
}

export const isOverdue = (dueBy: Date | null, now: Date): boolean =>
  dueBy !== null && dueBy.getTime() + STALE_MS < now.getTime();
