import { anyOf } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { DepositDetails } from './record';

const deposits = recordTable<DepositDetails>('deposits', {}, [
  ...['id', 'quoteId', 'returnUrl', 'redirectSealed'],
]);

export function insertDetails(
  tx: Tx,
  given: Omit<DepositDetails, 'redirectSealed'> & { tokenHash: Buffer },
): void {
  tx.defer(deposits().insert(given));
}

export async function detailsOf(sql: Sql, ids: readonly string[]): Promise<Map<string, DepositDetails>> {
  const rows = await deposits.all(sql, deposits().where(anyOf('id', ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds the deposit of a token in the payer's address. */
export const findByToken = (sql: Sql, tokenHash: Buffer): Promise<DepositDetails | undefined> =>
  deposits.one(sql, deposits().where({ tokenHash }));

export async function saveRedirect(tx: Sql, id: string, redirectSealed: Buffer): Promise<void> {
  await tx.run(deposits().where({ id }).update({ redirectSealed }));
}
