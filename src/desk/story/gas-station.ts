import { findOperation, transactionsOf } from '../../chain/gas-station/operations/read';
import { gasOperationView } from '../../chain/gas-station/operations/view';
import { startGasOperation } from '../../chain/gas-station/operations/workflows';
import { commonLists, isOverdue, line } from '../../process/desk/common-lists';
import { storyOf, type Teller } from '../../process/desk/story';

/** A sweep or gas top-up with its transactions. */
export const tellGasOperation: Teller = async ({ database, now }, id, limit) => {
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
};
