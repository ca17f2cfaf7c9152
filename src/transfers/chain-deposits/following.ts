import type { Following } from '../../chain/networks/following';
import { hasWallets } from '../../chain/wallets/operations';
import { notePlace, placeOf } from './places';

/** What was paid before the first look is found too: the place is kept with the network that is enabled. */
export const following: Following = {
  async begin(tx, chain, head, at) {
    if (!(await placeOf(tx, chain))) await notePlace(tx, chain, head, { at });
  },
  isUsed: async (sql, chain) => (await hasWallets(sql, chain)) || (await placeOf(sql, chain)) !== undefined,
};
