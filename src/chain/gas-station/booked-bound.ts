import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import { bookedAt } from '../holdings/operations';
import type { NetworkAsset } from '../networks/record';
import { toUnits } from '../networks/rules';
import type { Wallet } from '../wallets/record';

/** What a sweep of a wallet may move of its balance. Takes and returns smallest units. */
export type Bound = (wallet: Pick<Wallet, 'address' | 'status'>, balance: bigint) => bigint;

/**
 * Bounds the sweep of an allocated wallet by its booked amount. Coins that are not final stay until their owner is known. Other wallets
 * are swept of their whole balance.
 */
export async function boundByBooks(
  sql: Sql,
  chain: string,
  { symbol, decimals }: Pick<NetworkAsset, 'symbol' | 'decimals'>,
  wallets: readonly Pick<Wallet, 'address' | 'status'>[],
): Promise<Bound> {
  const allocated = wallets.flatMap(({ address, status }) => (status === 'allocated' ? [address] : []));
  const booked =
    allocated.length === 0 ? undefined : await bookedAt(sql, { chain, asset: symbol }, allocated);
  return ({ address, status }, balance) => {
    if (status !== 'allocated') return balance;
    const units = unitsOf(booked?.get(address), decimals);
    return units < balance ? units : balance;
  };
}

/** An amount of the books in whole units, rounded down. Zero for a negative one. */
const unitsOf = (amount: Decimal | undefined, decimals: number): bigint =>
  amount === undefined || amount.isNegative()
    ? 0n
    : toUnits(amount.toDecimalPlaces(decimals, Decimal.ROUND_DOWN), decimals);
