import { invalid } from '../../kernel/errors';
import { checkedHash } from '../../parties/chain/addresses';
import type { Network } from './record';

export const HASH_SHAPE = /^0x[0-9a-fA-F]{64}$/;
export const HASH_TEXT = 'must be a transaction hash: 0x and 64 hexadecimal digits';

/**
 * @returns the hash as the chain writes it
 * @throws Problem 400 naming `txHash`
 */
export function requireHash({ kind, name }: Pick<Network, 'kind' | 'name'>, txHash: string): string {
  const checked = checkedHash(kind, txHash);
  if (checked === undefined) throw invalid(`txHash must be the hash of a transaction on ${name}.`, 'txHash');
  return checked;
}
