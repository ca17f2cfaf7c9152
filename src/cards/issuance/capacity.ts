import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { lockCardholder } from '../../people/cardholders/operations';
import { countOpenCards } from '../cards/operations';
import type { Bin } from '../programmes/operations';

export interface Capacity {
  limit: number;
  used: number;
  remaining: number;
}

/** How many more cards a cardholder may have on the BIN. Without `cardholderId`: a new cardholder. */
export async function capacityOf(sql: Sql, bin: Bin, cardholderId?: string): Promise<Capacity> {
  const used = cardholderId === undefined ? 0 : await countOpenCards(sql, { cardholderId });
  const limit = bin.capacityPerCardholder;
  return { limit, used, remaining: Math.max(0, limit - used) };
}

/**
 * Ensures that the cardholder may have another card. Locks the cardholder until the end of the transaction, so that
 * concurrent issuances are counted.
 * @throws Problem 409 `limit_exceeded` when the cardholder has as many cards as the BIN allows
 */
export async function requireCapacity(tx: Tx, bin: Bin, cardholderId: string): Promise<void> {
  await lockCardholder(tx, cardholderId);
  const { remaining, limit } = await capacityOf(tx, bin, cardholderId);
  if (remaining === 0)
    throw conflict(
      'limit_exceeded',
      `The cardholder already has ${limit} cards on this BIN.`,
      'cardholderId',
    );
}
