import type { Tx } from '../../kernel/db/database';
import { invalid, notFound } from '../../kernel/errors';
import { type Decimal, ZERO } from '../../kernel/money/money';
import type { Services } from '../../services';
import { askedOfChain } from '../networks/asking';
import { witnessOf } from '../networks/nodes';
import type { Network } from '../networks/record';
import { fromUnits, NATIVE_DECIMALS, toUnits } from '../networks/rules';
import { whereTokenStands } from '../networks/tokens';
import type { ChainServices } from '../services';
import { newestAllocationOf } from './allocations/store';
import { type Holdings, holdingsOn } from './holdings';
import { requireWallet } from './operations';
import type { Wallet } from './record';
import { holdsAt, restedBy } from './rules';
import { findWalletById, updateWallets } from './store';

export interface WalletBalance {
  wallet: Wallet;
  network: Network;
  /** Of each asset of the network that could be read; exact. */
  balances: { asset: string; decimals: number; balance: Decimal }[];
  /** Of the native coin; null: no node is asked, and nobody has noted it. */
  gasBalance: Decimal | null;
  /** Where it is known from, and what is not known, for a person; nothing where it is the chain that says all of it. */
  detail: string | undefined;
  asOf: Date;
}

/**
 * What stands on a wallet: read from its chain now, or by the books where no node is asked.
 * @param reach whose allocation must hold it; null: any wallet
 * @throws Problem 404 naming `chain` or `address`; 503 while the chain cannot be asked
 */
export async function walletBalance(
  services: Pick<ChainServices, 'database' | 'keyring' | 'parties' | 'now' | 'heldByBooks'>,
  reach: string | null,
  named: { chain: string; address: string },
): Promise<WalletBalance> {
  const { database, now } = services;
  const { wallet } = await requireWallet(database, named);
  if (reach !== null) {
    const held = await newestAllocationOf(database, reach, wallet.id);
    if (!held || !holdsAt(held, now())) throw notFound('wallet', 'address');
  }
  const witnessed = await witnessOf(services, database, wallet.chain);
  const { network, node } = witnessed;
  const holdings = holdingsOn(services, database, witnessed);
  const { gas, balances, unknown } = await askedOfChain(readOf(holdings, wallet, network));
  const gasBalance = node ? fromUnits(gas, NATIVE_DECIMALS[network.kind]) : wallet.gasBalance;
  const details = [holdings.detail, ...unknown.map(notAnswering)].filter((each) => each !== undefined);
  const detail = details.length > 0 ? details.join(' ') : undefined;
  const asOf = now();
  return { wallet: restedBy(wallet, asOf), network, balances, gasBalance, detail, asOf };
}

/** All at once. A token whose contract does not answer is the trouble of that asset alone. */
async function readOf({ of }: Holdings, wallet: Wallet, { assets }: Network) {
  const read = async (token: string | null) => (await whereTokenStands(of([wallet], token)))?.[0];
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
 * Counts what an operation that a person has confirmed has moved of the native coin to or from its wallet with what was noted of it:
 * nobody can be asked what is there now. Not where somebody has looked since the operation was exported: he may have seen it.
 * @param operation of a chain that no node is asked about
 * @returns by how much what is noted has changed, in units of the chain; null: it has not
 */
export async function noteMoved(tx: Tx, operation: MovedGas): Promise<bigint | null> {
  const { type, token, units, decimals, exportedAt } = operation;
  if (token !== null) return null;
  const wallet = await lockWallet(tx, operation);
  if (exportedAt !== null && lookedAt(wallet) > exportedAt) return null;
  const before = toUnits(wallet.gasBalance ?? ZERO, decimals);
  const counted = type === 'topup' ? units : -(units < before ? units : before);
  await noteGas(tx, wallet, { units: before + counted, decimals });
  return counted;
}

/** Undoes just that, where the person's word is taken back; not where somebody has looked since: he has seen what is there. */
export async function noteTakenBack(tx: Tx, operation: CountedGas): Promise<void> {
  const { token, decimals, executedAt } = operation;
  if (token !== null) return;
  const wallet = await lockWallet(tx, operation);
  const counted = countedOf(operation, wallet);
  if (counted === null || (executedAt !== null && lookedAt(wallet) > executedAt)) return;
  const left = toUnits(wallet.gasBalance ?? ZERO, decimals) - counted;
  await noteGas(tx, wallet, { units: left > 0n ? left : 0n, decimals });
}

/** What was confirmed before that was kept: it was counted where nobody had looked since its export. */
function countedOf({ type, units, gasCounted, exportedAt }: CountedGas, wallet: Wallet): bigint | null {
  if (gasCounted !== null) return gasCounted;
  if (exportedAt === null || lookedAt(wallet) > exportedAt) return null;
  return type === 'topup' ? units : -units;
}

/** Where nobody has looked yet: it had nothing when it was made. */
const lookedAt = ({ gasBalanceAt, createdAt }: Wallet): Date => gasBalanceAt ?? createdAt;

async function lockWallet(tx: Tx, { walletId }: Pick<MovedGas, 'walletId'>): Promise<Wallet> {
  const wallet = await findWalletById(tx, walletId, { lock: true });
  if (!wallet) throw new Error(`the wallet ${walletId} is not there`);
  return wallet;
}

/** The time stays: it is when somebody has looked. */
const noteGas = (
  tx: Tx,
  wallet: Wallet,
  { units, decimals }: Pick<MovedGas, 'units' | 'decimals'>,
): Promise<Wallet[]> =>
  updateWallets(tx, [wallet.id], {
    ...{ gasBalance: fromUnits(units, decimals).toFixed(), gasBalanceAt: lookedAt(wallet) },
  });

/** Of an operation, what it has moved. */
interface MovedGas {
  type: 'sweep' | 'topup';
  walletId: string;
  /** null: the native coin. */
  token: string | null;
  units: bigint;
  decimals: number;
  exportedAt: Date | null;
}

/** And what of that was counted. */
interface CountedGas extends MovedGas {
  gasCounted: bigint | null;
  executedAt: Date | null;
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
