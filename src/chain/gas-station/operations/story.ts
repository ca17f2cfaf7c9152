import { commonLists, isOverdue, line } from '../../../process/desk/common-lists';
import { type DeskDeps, type Story, storyOf } from '../../../process/desk/story';
import { findOperation, transactionsOf } from './read';
import { gasOperationView } from './view';
import { startGasOperation } from './workflows';

/** A sweep or gas top-up with its transactions. */
export async function gasOperationStory(
  { database, now }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const operation = await findOperation(database, id);
  if (!operation) return undefined;
  const { type, status, dueBy, updatedAt } = operation;
  const { workflowId } = startGasOperation(operation);
  return storyOf(
    id,
    {
      what: type === 'sweep' ? 'sweep' : 'gas top-up',
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
      related: (await transactionsOf(database, id)).map(line),
    },
    limit,
  );
}
