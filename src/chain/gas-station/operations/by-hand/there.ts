import type { Sql } from '../../../../kernel/db/database';
import { conflict } from '../../../../kernel/errors';
import type { Network } from '../../../networks/record';
import { fromUnits } from '../../../networks/rules';
import type { ChainServices } from '../../../services';
import { holdingsOn } from '../../../wallets/holdings';
import { findWalletById } from '../../../wallets/operations';
import type { GasOperation } from '../record';

/**
 * What never came, by the books, cannot leave: first its deposit is recorded. What a station has nobody knows.
 * @param locking holds the wallet, so that nothing of it is taken back meanwhile
 * @throws Problem 409 `invalid_transition`
 */
export async function assertThere(
  services: Pick<ChainServices, 'heldByBooks'>,
  sql: Sql,
  { type, walletId, token, units, decimals, asset }: GasOperation,
  network: Network,
  locking: { lock?: boolean } = {},
): Promise<void> {
  if (type !== 'sweep' || token === null) return;
  const wallet = await findWalletById(sql, walletId, locking);
  const [there = 0n] = wallet
    ? await holdingsOn(services, sql, { network, node: undefined }).of([wallet], token)
    : [];
  if (there < units)
    throw conflict(
      'invalid_transition',
      `By the books only ${fromUnits(there, decimals).toFixed()} ${asset} is on the wallet: record what has come to it first.`,
    );
}
