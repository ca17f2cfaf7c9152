import type { Tx } from '../../kernel/db/database';
import type { Services } from '../../services';
import { endWithScope } from './allocations/end';
import { lockWithScope } from './allocations/scope-store';
import { newestAllocationOf } from './allocations/store';
import { requireWallet } from './operations';
import { type Wallet, walletStatusAfter } from './record';
import { laterBy } from './rules';
import { updateWallets } from './store';

export interface DisabledWallet {
  before: Wallet;
  after: Wallet;
  /** The allocation that this ended. Later payments to the wallet are not credited. */
  ended: string | null;
}

/**
 * Takes a wallet out of use and ends its allocation, on all networks of its scope. Its balance stays, and later payments are kept uncredited.
 * @throws Problem 404; 409 `invalid_transition` for a disabled wallet
 */
export async function disableWallet(
  services: Pick<Services, 'now' | 'walletQuarantineSeconds'>,
  tx: Tx,
  named: { chain: string; address: string },
): Promise<DisabledWallet> {
  const { wallet: found } = await requireWallet(tx, named);
  const before = (await lockWithScope(tx, { id: found.id })) ?? found;
  const status = walletStatusAfter(before.status, 'disable');
  const held = before.status === 'allocated' ? await newestAllocationOf(tx, null, before.id) : undefined;
  if (held) await endWithScope(services, tx, held, services.now());
  const [after] = await updateWallets(tx, [before.id], { status, quarantinedUntil: null });
  return { before, after: after as Wallet, ended: held?.id ?? null };
}

/**
 * Takes a disabled wallet into use again. It is quarantined first, because its last payer may still know the address.
 * @throws Problem 404; 409 `invalid_transition` for a wallet that is not disabled
 */
export async function enableWallet(
  { now, walletQuarantineSeconds }: Pick<Services, 'now' | 'walletQuarantineSeconds'>,
  tx: Tx,
  named: { chain: string; address: string },
): Promise<{ before: Wallet; after: Wallet }> {
  const { wallet: before } = await requireWallet(tx, named, { lock: 'update' });
  const status = walletStatusAfter(before.status, 'enable');
  const [after] = await updateWallets(tx, [before.id], {
    status,
    quarantinedUntil: laterBy(now(), walletQuarantineSeconds),
  });
  return { before, after: after as Wallet };
}
