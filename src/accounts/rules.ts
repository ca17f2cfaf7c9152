import { enabledBins } from '../bins/rules';
import type { Bin } from '../bins/store';
import type { Account } from './store';

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
