import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import { endAllocations, newestAllocationOf } from './allocations/store';
import { requireWallet } from './operations';
import { type Wallet, walletStatusAfter } from './record';
import { laterBy } from './rules';
import { updateWallets } from './store';

export interface DisabledWallet {
  before: Wallet;
  after: Wallet;
  /** The allocation that this has ended: what its payer sends from now on is not credited. */
  ended: string | null;
}

/**
 * Takes a wallet out of use: nobody gets it, and whoever had it has it no more. What stands on it stays; what comes is kept uncredited.
 * @throws Problem 404; 409 `invalid_transition` for one that is disabled
 */
export async function disableWallet(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  named: { chain: string; address: string },
): Promise<DisabledWallet> {
  const { wallet: before } = await requireWallet(tx, named, { lock: true });
  const status = walletStatusAfter(before.status, 'disable');
  const held = before.status === 'allocated' ? await newestAllocationOf(tx, null, before.id) : undefined;
  if (held) await endAllocations(tx, [held.id], now());
  const [after] = await updateWallets(tx, [before.id], { status, quarantinedUntil: null });
  return { before, after: after as Wallet, ended: held?.id ?? null };
}

/**
 * Takes a wallet into use again: it rests first, as one that was released, for whoever had it may have been told it lately.
 * @throws Problem 404; 409 `invalid_transition` for one that is not disabled
 */
export async function enableWallet(
  { now, walletQuarantineSeconds }: Pick<Services, 'now' | 'walletQuarantineSeconds'>,
  tx: Tx,
  named: { chain: string; address: string },
): Promise<{ before: Wallet; after: Wallet }> {
  const { wallet: before } = await requireWallet(tx, named, { lock: true });
  const status = walletStatusAfter(before.status, 'enable');
  const [after] = await updateWallets(tx, [before.id], {
    status,
    quarantinedUntil: laterBy(now(), walletQuarantineSeconds),
  });
  return { before, after: after as Wallet };
}
