import type { Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import type { Decimal } from '../../kernel/money/money';
import type { ChainNode } from '../../parties/chain/port';
import type { Services } from '../../services';
import { requireChainAnswer } from '../networks/nodes/chain-answer';
import { undefinedIfNoToken } from '../networks/nodes/no-token';
import { nodeOf } from '../networks/nodes/nodes';
import type { Network } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS } from '../networks/rules';
import { newestAllocationOf } from './allocations/store';
import { attested } from './attestation';
import { requireWallet } from './operations';
import type { Allocation, Wallet } from './record';
import { holdsAt, restedBy } from './rules';
import { updateWallets } from './store';

export interface WalletBalance {
  wallet: Wallet;
  network: Network;
  /** The allocation that holds the wallet. */
  allocation: Allocation | undefined;
  /** The balances of the network's assets that could be read, exact. */
  balances: { asset: string; decimals: number; balance: Decimal }[];
  /** In the native coin. */
  gasBalance: Decimal;
  /** Tells a person which assets could not be read. */
  detail: string | undefined;
  asOf: Date;
}

/**
 * Reads the balances of a wallet from its chain.
 * @param reach the tenant whose allocation must hold the wallet; null for any wallet
 * @throws Problem 404 naming `chain` or `address`; 503 while the chain cannot be asked
 */
export async function walletBalance(
  services: Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>,
  reach: string | null,
  named: { chain: string; address: string },
): Promise<WalletBalance> {
  const { database, now } = services;
  const { wallet } = await requireWallet(database, named);
  const newest = await newestAllocationOf(database, reach, wallet.id);
  const allocation = newest && holdsAt(newest, now()) ? newest : undefined;
  if (reach !== null && !allocation) throw notFound('wallet', 'address');
  await attested(services, wallet);
  const { network, node } = await nodeOf(services, database, wallet.chain);
  const { gas, balances, unknown } = await requireChainAnswer(readOf(node, wallet, network));
  const gasBalance = fromUnits(gas, NATIVE_DECIMALS[network.kind]);
  const detail = unknown.length > 0 ? unknown.map(notAnswering).join(' ') : undefined;
  const asOf = now();
  return { wallet: restedBy(wallet, asOf), network, allocation, balances, gasBalance, detail, asOf };
}

/** Asks for all balances at once. A token whose contract does not answer does not stop the others. */
async function readOf(node: ChainNode, { address }: Wallet, { assets }: Network) {
  const read = (token: string | null) => undefinedIfNoToken(node.balance(address, token));
  const [gas = 0n, ...units] = await Promise.all([null, ...assets.map(({ contract }) => contract)].map(read));
  const balances: WalletBalance['balances'] = [];
  const unknown: string[] = [];
  for (const [place, { symbol: asset, decimals }] of assets.entries()) {
    const there = units[place];
    if (there === undefined) unknown.push(asset);
    else balances.push({ asset, decimals, balance: fromUnits(there, decimals) });
  }
  return { gas, balances, unknown };
}

const notAnswering = (asset: string): string =>
  `The contract of ${asset} does not answer: its balance is not known.`;

/**
 * Stores the gas balance that a person has seen on a wallet. It is shown beside the chain's answer.
 * @throws Problem 404 naming `chain` or `address`; 400 naming `gasBalance`
 */
export async function noteGasBalance(
  { now }: Pick<Services, 'now'>,
  tx: Tx,
  named: { chain: string; address: string },
  gasBalance: Decimal,
): Promise<{ before: Wallet; after: Wallet }> {
  const { wallet, network } = await requireWallet(tx, named, { lock: 'update' });
  const decimals = NATIVE_DECIMALS[network.kind];
  if (gasBalance.decimalPlaces() > decimals)
    throw invalid(`gasBalance has more than ${decimals} decimals.`, 'gasBalance');
  const noted = { gasBalance, gasBalanceAt: now() };
  const [after] = await updateWallets(tx, [wallet.id], noted);
  return { before: wallet, after: after as Wallet };
}
