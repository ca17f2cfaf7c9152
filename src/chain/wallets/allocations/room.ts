import { table } from '../../../kernel/db/build';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { settingsOf } from '../../../tenants/clients/operations';
import { walletSettingsSection } from '../settings';
import { countHeldOrResting } from './store';

/** How many wallets a tenant may take still. */
export interface Room {
  /** The tenant has no more than so many that are held or rest; null: they must be counted. */
  atMost: number | null;
}

const counts = () => table('allocation_counts');

/**
 * A tenant's allocations are made one after another: of several at once under one reference one takes a wallet, and none is made
 * beside another that would have reached the tenant's bound.
 * @param quarantineSeconds how long a wallet rests: what was counted for another time counts no more
 */
export async function lockRoom(
  tx: Tx,
  { tenantId, quarantineSeconds }: { tenantId: string; quarantineSeconds: number },
): Promise<Room> {
  const [row] = await tx.run<{ atMost: number | null; quarantineSeconds: number }>(
    counts()
      .insert({ tenantId, quarantineSeconds })
      .onConflict('tenantId')
      .merge(['tenantId']) // changes nothing: it locks the one that exists and makes it come back
      .returning(['atMost', 'quarantineSeconds']),
  );
  return { atMost: row && row.quarantineSeconds === quarantineSeconds ? row.atMost : null };
}

/**
 * Takes one of those that a tenant may have. Wallets leave the count by themselves, as time passes, and none joins it but by this, under
 * the tenant's lock: so what was counted once, and one more for each that was taken since, is never too little. It is counted
 * again only where that has come to the bound.
 * @throws Problem 409 `limit_exceeded`
 */
export async function takeRoom(
  tx: Tx,
  { atMost }: Room,
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
    `The company has ${most} wallets, as many as it may: one that was given back counts for as long as it rests. Release those whose ` +
      'payers are done, or have the operator raise wallets.openAllocations.',
  );
