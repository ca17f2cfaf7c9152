import { startAllocation } from '../../chain/wallets/allocations/workflows';
import { findAllocationById, findWalletById } from '../../chain/wallets/operations';
import { commonLists, isOverdue, line } from '../../process/desk/common-lists';
import { storyOf, type Teller } from '../../process/desk/story';

/** A wallet with its present state and what operators did with it. */
export const tellWallet: Teller = async ({ database }, id, limit) => {
  const wallet = await findWalletById(database, id);
  if (!wallet) return undefined;
  const { status, updatedAt, gasBalance, ...shown } = wallet;
  return storyOf(
    id,
    {
      what: 'wallet',
      tenantId: null,
      status,
      since: updatedAt.toISOString(),
      record: line({ ...shown, status, gasBalance: gasBalance?.toFixed() ?? null }),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
};

/** A wallet's allocation to a payer, with its begin and end. */
export const tellAllocation: Teller = async ({ database, now }, id, limit) => {
  const allocation = await findAllocationById(database, id);
  if (!allocation) return undefined;
  const { tenantId, expiresAt, endedAt, updatedAt } = allocation;
  const dueBy = endedAt === null ? expiresAt : null;
  // An allocation without an end has no workflow.
  const workflowId = expiresAt === null ? undefined : startAllocation(allocation).workflowId;
  return storyOf(
    id,
    {
      what: 'wallet allocation',
      tenantId,
      status: endedAt === null ? 'open' : 'ended',
      since: updatedAt.toISOString(),
      record: line(allocation),
      ...(workflowId === undefined ? {} : { workflowId }),
      dueBy: dueBy?.toISOString() ?? null,
      overdue: isOverdue(dueBy, now()),
    },
    await commonLists(database, { id, workflowId }, limit),
    limit,
  );
};
