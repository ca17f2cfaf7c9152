import { table } from '../../../kernel/db/build';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { settingsOf } from '../../../tenants/clients/operations';
import { walletSettingsSection } from '../settings';
import { countHeldOrResting } from './store';

/** How many wallets a tenant may still take. */
export interface LimitCount {
  /** Upper bound of the tenant's held and resting wallets. Null: they must be counted. */
  atMost: number | null;
}

const counts = () => table('allocation_counts');

/**
 * Serialises the allocations of a tenant. Otherwise requests with one reference could take two wallets, and requests
 * side by side could exceed the tenant's limit.
 * @param quarantineSeconds cooldown of a wallet; a count made with another cooldown is void
 */
export async function lockTenantLimit(
  tx: Tx,
  { tenantId, quarantineSeconds }: { tenantId: string; quarantineSeconds: number },
): Promise<LimitCount> {
  const [row] = await tx.run<{ atMost: number | null; quarantineSeconds: number }>(
    counts()
      .insert({ tenantId, quarantineSeconds })
      .onConflict('tenantId')
      .merge(['tenantId']) // changes nothing, but locks and returns the existing row
      .returning(['atMost', 'quarantineSeconds']),
  );
  return { atMost: row && row.quarantineSeconds === quarantineSeconds ? row.atMost : null };
}

/**
 * Takes one place within the tenant's limit. The stored count never understates: only this function adds wallets, under
 * the tenant's lock, and time only removes some. So the wallets are counted again only when the stored count has
 * reached the limit.
 * @throws Problem 409 `limit_exceeded`
 */
export async function takeWithinLimit(
  tx: Tx,
  { atMost }: LimitCount,
  { tenantId, at, quarantineSeconds }: { tenantId: string; at: Date; quarantineSeconds: number },
): Promise<void> {
  const { openAllocations: most } = await settingsOf(tx, tenantId, walletSettingsSection);
  const isKnownToFit = atMost !== null && atMost < most;
  const count = isKnownToFit
    ? atMost
    : await countHeldOrResting(tx, { tenantId, at, quarantineSeconds, upTo: most });
  if (count >= most) throw tooMany(most);
  await tx.run(
    counts()
      .where({ tenantId })
      .update({ atMost: count + 1, quarantineSeconds }),
  );
}

const tooMany = (most: number) =>
  conflict(
    'limit_exceeded',
    `The company has its limit of ${most} wallets; a released wallet counts until it has rested. Release those whose payers are ` +
      'done, or ask the operator to raise wallets.openAllocations.',
  );
