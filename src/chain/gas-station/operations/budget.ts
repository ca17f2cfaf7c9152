import type { Sql } from '../../../kernel/db/database';
import { startOfDay } from '../../../kernel/utc-day';
import { NATIVE_DECIMALS, toUnits } from '../../networks/rules';
import type { GasConfig } from '../config/record';
import { reservedOn } from './nonces-store';
import { feesSince } from './store';

/**
 * Cost of gas on a chain in the UTC day: what was booked, and what signed transactions may still cost. In the native
 * coin's smallest units.
 */
export interface Spent {
  booked: bigint;
  reserved: bigint;
}

/** @param except operation whose own reserve is not counted */
export async function spentToday(
  sql: Sql,
  chain: string,
  at: Date,
  except: string | null = null,
): Promise<Spent> {
  // Reads the reserve first. An amount booked between the two reads is then counted twice instead of missed.
  const reserved = await reservedOn(sql, chain, except);
  const booked = await feesSince(sql, chain, startOfDay(at));
  return { booked, reserved };
}

/** Whether a transaction with this highest cost fits the budget of the day. */
export function isWithinBudget(
  { dailyGasBudget }: Pick<GasConfig, 'dailyGasBudget'>,
  { booked, reserved }: Spent,
  most: bigint,
): boolean {
  if (dailyGasBudget === null) return true;
  return booked + reserved + most <= toUnits(dailyGasBudget, NATIVE_DECIMALS.evm);
}
