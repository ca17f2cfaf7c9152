import { commonLists, isOverdue, line } from '../../../process/desk/common-lists';
import { type DeskDeps, type Story, storyOf } from '../../../process/desk/story';
import { findRecovery } from '../recoveries/read';
import type { TokenRecovery } from '../recoveries/record';
import { findOperation, transactionsOf } from './read';
import { gasOperationView } from './view';
import { startGasOperation } from './workflows';

/** A sweep or gas top-up with its transactions. A recovery of an unlisted token has its own record, too. */
export async function gasOperationStory(
  { database, now }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const operation = await findOperation(database, id);
  if (!operation) return undefined;
  const { type, status, dueBy, updatedAt } = operation;
  const { workflowId } = startGasOperation(operation);
  const recovery = await findRecovery(database, id);
  return storyOf(
    id,
    {
      what: recovery ? 'recovery of an unlisted token' : type === 'sweep' ? 'sweep' : 'gas top-up',
      tenantId: null,
      status,
      since: updatedAt.toISOString(),
      record: gasOperationView(operation),
      workflowId,
      dueBy: dueBy?.toISOString() ?? null,
      overdue: isOverdue(dueBy, now()),
    },
    {
      ...(await commonLists(database, { id, workflowId }, limit)),
      related: [...(recovery ? [textOf(recovery)] : []), ...(await transactionsOf(database, id))].map(line),
    },
    limit,
  );
}

/** The recovery with its units as text, because JSON has no integers of that size. */
const textOf = (recovery: TokenRecovery) =>
  Object.fromEntries(
    Object.entries(recovery).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : (value as unknown),
    ]),
  );
