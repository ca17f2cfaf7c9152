import type { Keyring } from '../../kernel/security/keyring';
import { commonLists, isOverdue, line } from '../../process/desk/common-lists';
import { type DeskDeps, type Story, storyOf } from '../../process/desk/story';
import { startAllocation } from './allocations/workflows';
import { findAllocationById, findWalletById, shownAddress } from './operations';

/** A wallet with its present state and what operators did with it. */
export async function walletStory(
  { database, keyring }: DeskDeps & { keyring: Keyring },
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const wallet = await findWalletById(database, id);
  if (!wallet) return undefined;
  const { status, updatedAt, gasBalance, attestation: _, ...shown } = wallet;
  const address = shownAddress(keyring, wallet);
  return storyOf(
    id,
    {
      what: 'wallet',
      tenantId: null,
      status,
      since: updatedAt.toISOString(),
      record: line({ ...shown, address, status, gasBalance: gasBalance?.toFixed() ?? null }),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}

/** A wallet's allocation to a payer, with its begin and end. */
export async function allocationStory(
  { database, now }: DeskDeps,
  id: string,
  limit: number,
): Promise<Story | undefined> {
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
}
