import type { Sql } from '../../../kernel/db/database';
import { listOperations } from '../operations/read';
import { type GasOperation, UNLISTED } from '../operations/record';

export { findRecovery, listRecoveries, type ShownRecovery } from './store';

const openRecoveries = (sql: Sql, chain: string): Promise<GasOperation[]> =>
  listOperations(sql, { chain, asset: UNLISTED }, {}, { open: true });

/** The tokens of a chain's open recoveries. */
export const tokensInRecovery = async (sql: Sql, chain: string): Promise<string[]> =>
  (await openRecoveries(sql, chain)).flatMap(({ token }) => token ?? []);

/** The wallets of a chain's recoveries that wait for gas. */
export const walletsWithoutGas = async (sql: Sql, chain: string): Promise<string[]> =>
  (await openRecoveries(sql, chain)).flatMap(({ waitsFor, walletId }) =>
    waitsFor === 'gas' ? [walletId] : [],
  );
