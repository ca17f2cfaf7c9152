import { anyOf, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { DepositDetails } from './record';

const COLUMNS = ['id', 'quoteId', 'returnUrl', 'redirectSealed'];
const deposits = () => table('deposits');

export function insertDetails(
  tx: Tx,
  given: Omit<DepositDetails, 'redirectSealed'> & { tokenHash: Buffer },
): void {
  tx.defer(deposits().insert(given));
}

export async function detailsOf(sql: Sql, ids: readonly string[]): Promise<Map<string, DepositDetails>> {
  const rows = await sql.run<DepositDetails>(deposits().select(COLUMNS).where(anyOf('id', ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds the deposit of a token in the payer's address. */
export async function findByToken(sql: Sql, tokenHash: Buffer): Promise<DepositDetails | undefined> {
  const [row] = await sql.run<DepositDetails>(deposits().select(COLUMNS).where({ tokenHash }));
  return row;
}

export async function saveRedirect(tx: Sql, id: string, redirectSealed: Buffer): Promise<void> {
  await tx.run(deposits().where({ id }).update({ redirectSealed }));
}
