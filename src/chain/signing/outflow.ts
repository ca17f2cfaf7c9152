import { erc20TransferOf } from '../../parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../parties/chain/port';
import { delegatedCallOf } from '../gas-station/strategies/delegate';
import type { OwnFacts } from './rules';

/** Name of a network's native coin in daily sums. A token is named by its contract. */
export const NATIVE = 'native';

/** An amount that a transaction takes out of own wallets. */
export interface Outflow {
  /** {@link NATIVE}, or the contract of a token. */
  asset: string;
  /** In the asset's smallest unit. */
  units: bigint;
}

/**
 * Reads what an admitted transaction takes out of own wallets. Undefined: nothing. A top-up of an own wallet moves
 * nothing out.
 */
export function outflowOf({ to, value, data }: UnsignedTransaction, own: OwnFacts): Outflow | undefined {
  if (data === '0x') return value > 0n && !own.isOwnRecipient ? { asset: NATIVE, units: value } : undefined;
  const transfer = erc20TransferOf(data);
  if (transfer) return { asset: to, units: transfer.units };
  const swept = delegatedCallOf(data);
  return swept && { asset: swept.token, units: swept.units };
}
