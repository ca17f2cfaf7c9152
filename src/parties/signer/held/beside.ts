import type { Signer } from '../port';
import type { HeldKey } from './key';

/** Signs with held keys for their addresses, and with the seed for all others. */
export function signerBeside(seed: Signer, held: Signer, keys: readonly HeldKey[]): Signer {
  return {
    addresses: (kind, indices, tx) => seed.addresses(kind, indices, tx),
    sign(index, transaction) {
      const place = keys.findIndex(({ address }) => address === transaction.from);
      return place < 0 ? seed.sign(index, transaction) : held.sign(place, transaction);
    },
    // Only wallets of the seed delegate. A station does not.
    signAuthorization: (index, given) => seed.signAuthorization(index, given),
  };
}
