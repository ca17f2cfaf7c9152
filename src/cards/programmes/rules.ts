import type { Account } from '../../accounts/accounts/operations';
import type { Capability } from '../../kernel/capabilities';
import type { Bin } from './record';

/**
 * BINs on which cards can be issued from an account. A closed account has none.
 * @param disabled the BINs that are disabled for the account's user
 */
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

/** For each capability, the currencies that it supports. A capability that is missing supports every currency. */
export type Reached = Partial<Record<Capability, ReadonlySet<string>>>;

export interface Circumstances {
  /** Capabilities that neither the operator nor the installation has switched off. */
  on: readonly Capability[];
  admitted: readonly Bin[];
  hasIban: boolean;
  reached: Reached;
}

/**
 * Operations that are possible on an account (`GET /v1/client/settings`). Cards need an open BIN of the account's
 * currency. A virtual IBAN pays into a company's EUR account. Every other capability must support the currency. An
 * inactive account has none.
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
