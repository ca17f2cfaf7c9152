import type { Following } from '../../chain/networks/following';
import { hasWallets } from '../../chain/wallets/operations';
import { beginPlace, placeOf } from './places';

/** What was paid before the first look is found too: the place is kept with the network that is enabled. */
export const following: Following = {
  begin: beginPlace,
  isUsed: async (sql, chain) => (await hasWallets(sql, chain)) || (await placeOf(sql, chain)) !== undefined,
};
