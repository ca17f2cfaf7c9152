import { z } from 'zod';
import type { Sql } from '../kernel/db/database';
import { instant } from '../kernel/wire/schemas';
import { shown } from '../kernel/wire/shown';
import { type Approval, pendingAbout } from '../process/approvals/operations';

/** Most changes that a configuration shows. The operator's list has all. */
const SHOWN = 20;

/** A change of a configuration that waits for approval by two people. */
const pendingChange = z
  .object({
    approvalId: z.string(),
    requestedBy: z.string(),
    requestedAt: instant(),
    needs: z.int().describe('Number of operators who must approve, besides the operator who asked.'),
    firstBy: z.string().optional().describe('The first of two operators who approved.'),
    changes: z.array(
      z.object({
        field: z.string().describe('Name of the field.'),
        from: z.string().nullable().describe('The present value. Null: none.'),
        to: z.string().nullable().describe('The requested value. Null: none.'),
      }),
    ),
  })
  .meta({ id: 'PendingChange' });

/** Field of a configuration, as GET shows it. */
export const pendingChanges = () =>
  z.array(pendingChange).optional().describe('Changes that wait for approval. For admins.');

/** Answer of a PUT whose change waits for approval: the unchanged configuration. */
export const awaitingApproval = <Shape extends z.ZodRawShape>(shape: Shape, id: string) =>
  z.object({ ...shape, approvalId: z.string().describe('Id by which other people decide.') }).meta({ id });

type PendingChange = z.output<typeof pendingChange>;

/** @returns undefined when no change waits */
export async function readPending(
  sql: Sql,
  kind: string,
  subject: string,
): Promise<PendingChange[] | undefined> {
  const found = await pendingAbout(sql, { kind, subject }, SHOWN);
  return found.length === 0 ? undefined : found.map(pendingView);
}

const pendingView = (approval: Approval): PendingChange =>
  shown(pendingChange, approval, { approvalId: approval.id, changes: [...approval.changes] });
