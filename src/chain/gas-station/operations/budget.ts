import type { Sql } from '../../../kernel/db/database';
import { startOfDay } from '../../../kernel/utc-day';
import { NATIVE_DECIMALS, toUnits } from '../../networks/rules';
import type { GasConfig } from '../config/record';
import { reservedOn } from './nonces/store';
import { feesSince } from './store';

/** What gas has cost on a chain in the UTC day, and may still cost by what was signed; in units of the native coin. */
export interface Spent {
  booked: bigint;
  reserved: bigint;
}

/** @param except an operation whose own reserve is not counted */
export async function spentToday(
  sql: Sql,
  chain: string,
  at: Date,
  except: string | null = null,
): Promise<Spent> {
  // The reserve first: what is booked between the two is counted twice, and not missed.
  const reserved = await reservedOn(sql, chain, except);
  const booked = await feesSince(sql, chain, startOfDay(at));
  return { booked, reserved };
}

/** Whether a transaction that costs so much at most is within the budget of the day. */
export function isWithinBudget(
  { dailyGasBudget }: Pick<GasConfig, 'dailyGasBudget'>,
  { booked, reserved }: Spent,
  most: bigint,
): boolean {
  if (dailyGasBudget === null) return true;
  return booked + reserved + most <= toUnits(dailyGasBudget, NATIVE_DECIMALS.evm);
}
