import type { Tx } from '../../../kernel/db/database';
import { notFound } from '../../../kernel/errors';
import { type LOST, progressUnlessLost, RecordLost } from '../../../process/lost-record';
import type { Services } from '../../../services';
import { attested } from '../attestation';
import { requireWallet } from '../operations';
import { type Allocation, walletStatusAfter } from '../record';
import { endOf, laterBy } from '../rules';
import { findWalletById, returnRested, updateWallets } from '../store';
import { type HeldWallet, networksOf } from './allocate';
import { lockWithScope } from './scope-store';
import { endAllocations, findAllocation, lockExpired, newestAllocationOf, rowsOfAllocation } from './store';
import { lookAtAllocation } from './workflows';

type EndDeps = Pick<Services, 'now' | 'walletQuarantineSeconds'>;

/**
 * Ends the allocation of a wallet, on all networks of its scope. The wallet then cools down before another payer gets
 * it. Idempotent.
 * @param reach the tenant whose allocation ends; null for the newest of any tenant
 * @throws Problem 404 naming `chain` or `address`, also for a wallet that the tenant never had
 */
export async function releaseWallet(
  services: EndDeps & Pick<Services, 'commands' | 'database' | 'keyring'>,
  tx: Tx,
  named: { chain: string; address: string },
  reach: string | null,
): Promise<HeldWallet & { before: Allocation }> {
  const { wallet: found } = await requireWallet(tx, named);
  const wallet = (await lockWithScope(tx, { id: found.id })) ?? found;
  const before = await newestAllocationOf(tx, reach, wallet.id);
  if (!before) throw notFound('wallet', 'address');
  await attested(services, wallet);
  if (before.endedAt !== null)
    return { before, allocation: before, wallet, ...(await networksOf(tx, before)) };
  await endWithScope(services, tx, before, services.now());
  if (before.expiresAt !== null) services.commands.append(tx, [lookAtAllocation(before)]);
  return { before, ...(await heldBy(tx, before.id)) };
}

/** Ends an allocation on all networks of its scope. The caller holds the locks of their wallets. */
export async function endWithScope(
  services: Pick<EndDeps, 'walletQuarantineSeconds'>,
  tx: Tx,
  allocation: Allocation,
  at: Date,
): Promise<void> {
  const all = allocation.scope === null ? [allocation] : await rowsOfAllocation(tx, allocation);
  await endLocked(services, tx, all, at);
}

/**
 * Ends allocations. The caller holds the locks of their wallets.
 * @param at when they were found expired, so that a clock set back meanwhile does not turn them into released ones
 * @returns how many ended now
 */
async function endLocked(
  { walletQuarantineSeconds }: Pick<EndDeps, 'walletQuarantineSeconds'>,
  tx: Tx,
  ended: readonly Pick<Allocation, 'id'>[],
  at: Date,
): Promise<number> {
  const walletIds = await endAllocations(
    tx,
    ended.map(({ id }) => id),
    at,
  );
  await updateWallets(tx, walletIds, {
    status: walletStatusAfter('allocated', 'end'),
    quarantinedUntil: laterBy(at, walletQuarantineSeconds),
  });
  return walletIds.length;
}

async function heldBy(tx: Tx, id: string): Promise<HeldWallet> {
  const allocation = await findAllocation(tx, { id });
  const wallet = allocation && (await findWalletById(tx, allocation.walletId));
  if (!wallet) throw new Error(`the allocation ${id} was locked and no longer exists`);
  return { allocation, wallet, ...(await networksOf(tx, allocation)) };
}

/** State of an allocation, for its workflow. */
export interface AllocationProgress {
  status: 'allocated' | 'expired' | 'released' | typeof LOST;
  open: boolean;
  /** Expiry by the workflow's clock, in milliseconds since 1970. */
  lookAt: number | null;
}

/**
 * The step of an allocation's workflow: ends an expired allocation. Idempotent. A lost allocation opens a break.
 */
export function advanceAllocation(
  services: EndDeps & Pick<Services, 'database' | 'productClock'>,
  id: string,
): Promise<AllocationProgress> {
  return progressUnlessLost(services.database, () => advanceKnown(services, id));
}

function advanceKnown(
  services: EndDeps & Pick<Services, 'database' | 'productClock'>,
  id: string,
): Promise<AllocationProgress> {
  return services.database.transaction(async (tx) => {
    const { walletId } = (await findAllocation(tx, { id })) ?? lost(id);
    await findWalletById(tx, walletId, { lock: 'update' });
    const allocation = (await findAllocation(tx, { id })) ?? lost(id); // read again under the wallet's lock
    const { expiresAt, endedAt } = allocation;
    if (endedAt !== null) return { status: endOf(allocation), open: false, lookAt: null };
    const at = services.now();
    if (expiresAt === null || expiresAt > at)
      return {
        status: 'allocated',
        open: true,
        lookAt: expiresAt && services.productClock.toWorkflow(expiresAt),
      };
    await endLocked(services, tx, [allocation], at);
    return { status: 'expired', open: false, lookAt: null };
  });
}

const lost = (id: string): never => {
  throw new RecordLost('wallet_allocation', id);
};

/** Most wallets of each kind in one transaction, because it holds all their locks. */
const PORTION = 1_000;

export interface Swept {
  /** Expired allocations that were ended. Their wallets are quarantined. */
  released: number;
  /** Wallets that are available again after their quarantine. */
  returned: number;
  /** There may be more of either. */
  more: boolean;
}

/**
 * Ends expired allocations and returns rested wallets, one portion of each. The allocations' workflows then find them
 * ended.
 */
export async function releaseExpired(
  services: EndDeps,
  tx: Tx,
  { chain, limit = PORTION }: { chain?: string | undefined; limit?: number } = {},
): Promise<Swept> {
  const at = services.now();
  const expired = await lockExpired(tx, { chain, at, limit });
  const released = await endLocked(services, tx, expired, at);
  const to = walletStatusAfter('quarantined', 'return');
  const returned = await returnRested(tx, { chain, at, to, limit });
  return { released, returned, more: expired.length === limit || returned === limit };
}

/**
 * Repeats {@link releaseExpired} until nothing is left.
 * @returns how many wallets have changed
 */
export async function releaseAllExpired(services: EndDeps & Pick<Services, 'database'>): Promise<number> {
  for (let changed = 0; ; ) {
    const { released, returned, more } = await services.database.transaction((tx) =>
      releaseExpired(services, tx),
    );
    changed += released + returned;
    if (!more) return changed;
  }
}
