import type { Account } from '../../accounts/accounts/operations';
import type { Bin } from './record';

/** The BINs that cards can be issued on from an account of that currency, for an owner with these BINs disabled. */
export function enabledBins(
  currency: string,
  admitted: readonly Bin[],
  disabled?: ReadonlySet<string>,
): Bin[] {
  return admitted.filter(
    (bin) => bin.status === 'active' && bin.currency === currency && !disabled?.has(bin.bin),
  );
}

/** What can be done with an account (`GET /v1/client/settings`). */
export type Capability = 'transfer' | 'card_issuing';

/** An active account can be transferred from and to; cards can be funded from it where a BIN of its currency is open. */
export function capabilitiesOf(
  account: Pick<Account, 'status' | 'currency'>,
  admitted: readonly Bin[],
): Capability[] {
  if (account.status !== 'active') return [];
  return enabledBins(account.currency, admitted).length > 0 ? ['transfer', 'card_issuing'] : ['transfer'];
}
