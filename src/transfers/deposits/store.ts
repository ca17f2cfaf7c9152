import { anyOf, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { DepositDetails } from './record';

const COLUMNS = ['id', 'quoteId', 'returnUrl', 'redirectSealed'];
const deposits = () => table('deposits');

export async function insertDetails(
  tx: Sql,
  given: Omit<DepositDetails, 'redirectSealed'> & { tokenHash: Buffer },
): Promise<void> {
  await tx.run(deposits().insert(given));
}

export async function detailsOf(sql: Sql, ids: readonly string[]): Promise<Map<string, DepositDetails>> {
  const rows = await sql.run<DepositDetails>(deposits().select(COLUMNS).where(anyOf('id', ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a token of the payer's address leads to. */
export async function findByToken(sql: Sql, tokenHash: Buffer): Promise<DepositDetails | undefined> {
  const [row] = await sql.run<DepositDetails>(deposits().select(COLUMNS).where({ tokenHash }));
  return row;
}

export async function saveRedirect(tx: Sql, id: string, redirectSealed: Buffer): Promise<void> {
  await tx.run(deposits().where({ id }).update({ redirectSealed }));
}
