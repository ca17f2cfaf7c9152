import type { Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import type { Services } from '../../services';
import { askedOfChain } from '../networks/asking';
import { nodeOf } from '../networks/nodes';
import type { Network } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS } from '../networks/rules';
import { newestAllocationOf } from './allocations/store';
import { requireWallet } from './operations';
import type { Wallet } from './record';
import { holdsAt } from './rules';
import { updateWallets } from './store';

export interface WalletBalance {
  wallet: Wallet;
  network: Network;
  /** What the chain says of each asset of the network; exact. */
  balances: { asset: string; decimals: number; balance: Decimal }[];
  /** Of the native coin. */
  gasBalance: Decimal;
  asOf: Date;
}

/**
 * What stands on a wallet, read from its chain now.
 * @param reach whose allocation must hold it; null: any wallet
 * @throws Problem 404 naming `chain` or `address`; 503 while the chain cannot be asked
 */
export async function walletBalance(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>,
  reach: string | null,
  named: { chain: string; address: string },
): Promise<WalletBalance> {
  const { database, now } = services;
  const { wallet } = await requireWallet(database, named);
  if (reach !== null) {
    const held = await newestAllocationOf(database, reach, wallet.id);
    if (!held || !holdsAt(held, now())) throw notFound('wallet', 'address');
  }
  const { network, node } = await nodeOf(services, database, wallet.chain);
  const native = NATIVE_DECIMALS[network.kind];
  const [gas, ...units] = await askedOfChain(
    Promise.all(
      [null, ...network.assets.map(({ contract }) => contract)].map((token) =>
        node.balance(wallet.address, token),
      ),
    ),
  );
  const balances = network.assets.map(({ symbol, decimals }, place) => ({
    ...{ asset: symbol, decimals },
    balance: fromUnits(units[place] ?? 0n, decimals),
  }));
  return { wallet, network, balances, gasBalance: fromUnits(gas ?? 0n, native), asOf: now() };
}

/**
 * Keeps what a person has seen of the gas on a wallet: where the chain cannot be asked, as TRON, it is all that is known.
 * @throws Problem 404 naming `chain` or `address`; 400 naming `gasBalance`
 */
export async function noteGasBalance(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  named: { chain: string; address: string },
  gasBalance: Decimal,
): Promise<{ before: Wallet; after: Wallet }> {
  const { wallet, network } = await requireWallet(tx, named, { lock: true });
  const decimals = NATIVE_DECIMALS[network.kind];
  if (gasBalance.decimalPlaces() > decimals)
    throw invalid(`gasBalance has more than ${decimals} decimals.`, 'gasBalance');
  const noted = { gasBalance: gasBalance.toFixed(), gasBalanceAt: now() };
  const [after] = await updateWallets(tx, [wallet.id], noted);
  return { before: wallet, after: after as Wallet };
}
