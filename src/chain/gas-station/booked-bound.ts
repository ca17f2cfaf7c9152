import type { Sql } from '../../kernel/db/database';
import { Decimal, ZERO } from '../../kernel/money/money';
import { bookedAt, withheldAt } from '../holdings/operations';
import type { NetworkAsset } from '../networks/record';
import { toUnits } from '../networks/rules';
import type { Wallet } from '../wallets/record';

/** What a sweep of a wallet may move of its balance. Takes and returns smallest units. */
export type Bound = (wallet: Bounded, balance: bigint) => bigint;

type Bounded = Pick<Wallet, 'address' | 'status' | 'adopted'>;

/**
 * Bounds the sweep of an allocated or adopted wallet by its booked amount. Coins that are not final stay until their owner is known, and
 * coins that nobody has claimed stay until a person claims them. Other wallets are swept of their whole balance. Coins that deposits
 * withhold stay everywhere, so that no treasury gets coins that are not final, or that nobody has cleared.
 */
export async function boundByBooks(
  sql: Sql,
  chain: string,
  { symbol, decimals }: Pick<NetworkAsset, 'symbol' | 'decimals'>,
  wallets: readonly Bounded[],
): Promise<Bound> {
  const bounded = wallets.flatMap((wallet) => (isBounded(wallet) ? [wallet.address] : []));
  const booked = bounded.length === 0 ? undefined : await bookedAt(sql, { chain, asset: symbol }, bounded);
  const withheld = await withheldAt(
    sql,
    { chain, asset: symbol },
    wallets.map(({ address }) => address),
  );
  return ({ address, ...wallet }, balance) => {
    const left = withheld.get(address);
    if (!isBounded(wallet)) return atLeastZero(balance - unitsUp(left?.amount ?? ZERO, decimals));
    const units = unitsOf(booked?.get(address)?.minus(left?.booked ?? ZERO), decimals);
    return units < balance ? units : balance;
  };
}

const isBounded = ({ status, adopted }: Omit<Bounded, 'address'>): boolean =>
  status === 'allocated' || adopted;

const atLeastZero = (units: bigint): bigint => (units < 0n ? 0n : units);

/** An amount in whole units, rounded up. */
const unitsUp = (amount: Decimal, decimals: number): bigint =>
  toUnits(amount.toDecimalPlaces(decimals, Decimal.ROUND_UP), decimals);

/** An amount of the books in whole units, rounded down. Zero for a negative one. */
const unitsOf = (amount: Decimal | undefined, decimals: number): bigint =>
  amount === undefined || amount.isNegative()
    ? 0n
    : toUnits(amount.toDecimalPlaces(decimals, Decimal.ROUND_DOWN), decimals);
