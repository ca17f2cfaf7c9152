import type { Account } from '../../accounts/accounts/operations';
import type { Capability } from '../../kernel/capabilities';
import type { Bin } from './record';

/** The BINs that cards can be issued on from an account, for an owner with these BINs disabled; none of a closed account. */
export function enabledBins(
  { status, currency }: Pick<Account, 'status' | 'currency'>,
  admitted: readonly Bin[],
  disabled?: ReadonlySet<string>,
): Bin[] {
  if (status === 'closed') return [];
  return admitted.filter(
    (bin) => bin.status === 'active' && bin.currency === currency && !disabled?.has(bin.bin),
  );
}

/** By capability, the currencies of accounts that it reaches; one that is not named reaches all. */
export type Reached = Partial<Record<Capability, ReadonlySet<string>>>;

export interface Circumstances {
  /** What neither the operator nor the installation has switched off. */
  on: readonly Capability[];
  admitted: readonly Bin[];
  hasIban: boolean;
  reached: Reached;
}

/**
 * What can be done with an account (`GET /v1/client/settings`): all that is on while it is active. Cards can be funded from it
 * where a BIN of its currency is open, a virtual IBAN pays into the EUR account of a company that has one, and options must reach
 * its currency.
 */
export function capabilitiesOf(
  account: Pick<Account, 'status' | 'currency'>,
  { on, admitted, hasIban, reached }: Circumstances,
): Capability[] {
  const { status, currency } = account;
  if (status !== 'active') return [];
  const can: Partial<Record<Capability, boolean>> = {
    card_issuing: enabledBins(account, admitted).length > 0,
    virtual_iban: hasIban && currency === 'EUR',
  };
  return on.filter((capability) => can[capability] ?? reached[capability]?.has(currency) ?? true);
}
