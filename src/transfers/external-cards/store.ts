import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import type { ExternalCardDetails } from './record';

const transactions = () => table('external_card_transactions');

export function insertDetails(
  tx: Tx,
  given: Omit<ExternalCardDetails, 'actionUrl'> & { redirectHash: Buffer },
): void {
  tx.defer(transactions().insert(given));
}

/** @param by the id, or the hash of the token in the payer's address */
export async function findDetails(
  sql: Sql,
  by: { id: string } | { redirectHash: Buffer },
): Promise<ExternalCardDetails | undefined> {
  const columns = ['id', 'returnUrl', 'token', 'actionUrl'];
  const [row] = await sql.run<ExternalCardDetails>(transactions().select(columns).where(by));
  return row;
}

export async function saveActionUrl(tx: Sql, id: string, actionUrl: Buffer): Promise<void> {
  await tx.run(transactions().where({ id }).update({ actionUrl }));
}
