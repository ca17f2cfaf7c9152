import type { Sql } from '../../../kernel/db/database';
import type { Network, NetworkAsset } from '../../networks/record';
import { fromUnits, ledgerAmount } from '../../networks/rules';
import { sweepableWallets } from '../../wallets/operations';
import type { Wallet } from '../../wallets/record';
import { requireGasConfig } from '../config/operations';
import type { GasConfig } from '../config/record';
import { minSweepOf, sweepableOf } from '../rules';
import type { Dust } from './record';
import { saveDust } from './store';

export { keptDust } from './store';

/**
 * Reads each wallet's balance of a token, in their order. Undefined when the contract does not answer.
 * @param token null: the native coin
 */
export type Holdings = (wallets: readonly Wallet[], token: string | null) => bigint[] | undefined;

/**
 * Stores the dust on wallets that were allocated once and may be swept. The status shows the last reading, because the
 * pool may be large.
 * @param of balances at that time
 */
export async function keepDust(sql: Sql, network: Network, of: Holdings, at: Date): Promise<void> {
  const config = await requireGasConfig(sql, network);
  const wallets = await sweepableWallets(sql, network.chain, { used: true });
  const found: Dust[] = [];
  for (const asset of network.assets) {
    const balances = of(wallets, asset.contract);
    if (balances) found.push(dustOf(network, config, asset, balances));
  }
  await saveDust(sql, network.chain, found, at);
}

/**
 * Pure.
 * @param balances of each wallet, in smallest units
 */
export function dustOf(
  network: Pick<Network, 'kind'>,
  config: GasConfig,
  asset: NetworkAsset,
  balances: readonly bigint[],
): Dust {
  const { decimals, symbol } = asset;
  const least = minSweepOf(config, asset);
  const sweepable = balances.map((units) =>
    sweepableOf(config, network, asset, { units, fee: 0n, ofStation: false }),
  );
  const small = sweepable.filter((units) => fromUnits(units, decimals).lt(least));
  return {
    asset,
    belowMinimum: total(small),
    belowLedger: total(balances.map((units) => ledgerAmount(units, decimals, symbol).dust)),
  };
}

const total = (all: readonly bigint[]): bigint => all.reduce((sum, units) => sum + units, 0n);
