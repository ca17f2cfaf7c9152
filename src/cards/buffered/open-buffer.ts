import type { Tx } from '../../kernel/db/database';
import { newId } from '../../kernel/ids';
import { openLedgerAccount } from '../../kernel/ledger/accounts';
import type { Decimal } from '../../kernel/money/money';

/** Opens the ledger account of a card's buffer. @returns its id; null where nothing is to be set aside */
export async function openBuffer(
  tx: Tx,
  { tenantId, currency }: { tenantId: string; currency: string },
  buffer: Decimal,
): Promise<string | null> {
  if (buffer.isZero()) return null;
  const id = newId('cardBuffer');
  await openLedgerAccount(tx, { id, kind: 'card_buffer', tenantId, currency });
  return id;
}
