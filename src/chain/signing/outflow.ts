import { erc20TransferOf } from '../../parties/chain/evm/calls';
import type { UnsignedTransaction } from '../../parties/chain/port';
import type { AllowedNetwork, OwnFacts } from './rules';

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
  return transfer ? { asset: to, units: transfer.units } : undefined;
}

/**
 * A delegated sweep takes the whole balance and names no amount, so nothing could be counted.
 * @returns a sentence why it is refused; undefined for other transactions, and on a network without sums of tokens
 */
export function uncountedRefusal(
  { data }: UnsignedTransaction,
  { dailySums = new Map() }: AllowedNetwork,
): string | undefined {
  if (data === '0x' || erc20TransferOf(data)) return undefined;
  const hasTokenSum = [...dailySums.keys()].some((asset) => asset !== NATIVE);
  return hasTokenSum
    ? 'A delegated sweep names no amount, and the network has daily sums of tokens: use the strategy transfer.'
    : undefined;
}
