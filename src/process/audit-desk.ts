import { z } from 'zod';
import { type AuditEntry, listAudit } from '../kernel/audit/log';
import { type Desk, defineDesk } from './desk/desk';
import { columnsOf, list } from './desk/list';
import type { DeskDeps } from './desk/story';

const columns = columnsOf<AuditEntry>();

/** The desk of the audit log. The installation's own commands prove that nobody has changed it (src/installation). */
export const auditDesk = ({ database }: Pick<DeskDeps, 'database'>): Desk =>
  defineDesk({
    name: 'audit',
    title: 'Who did what',
    lists: [
      list({
        name: 'audit',
        title: 'who did what, the newest first; rows are only ever added',
        permission: 'security',
        filters: z.object({
          subject: z.string().max(200).optional().meta({ description: 'Of one record.' }),
          actor: z
            .string()
            .max(200)
            .optional()
            .meta({ description: "An admin's client id, or operator:<name>." }),
        }),
        columns: {
          number: columns.text('number', ({ id }) => id),
          at: columns.time('at', ({ at }) => at),
          actor: columns.text('actor', ({ actor }) => actor),
          action: columns.text('action', ({ action }) => action),
          subject: columns.id('subject', ({ subject }) => subject),
          client: columns.id('client', ({ tenantId }) => tenantId),
          before: columns.text('before', ({ before }) => jsonOf(before)),
          after: columns.text('after', ({ after }) => jsonOf(after)),
        },
        rows: ({ filters, after, limit }) => listAudit(database, { ...filters, below: after?.id }, limit),
        place: ({ id, at }) => ({ since: at, id }),
      }),
    ],
  });

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
