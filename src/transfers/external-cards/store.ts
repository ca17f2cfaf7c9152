import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { ExternalCardDetails } from './record';

const transactions = recordTable<ExternalCardDetails>('external_card_transactions', {}, [
  ...['id', 'returnUrl', 'userId', 'token', 'actionUrl'],
]);

export function insertDetails(
  tx: Tx,
  given: Omit<ExternalCardDetails, 'actionUrl'> & { redirectHash: Buffer },
): void {
  tx.defer(transactions().insert(given));
}

/** @param by the id, or the hash of the token in the payer's address */
export const findDetails = (sql: Sql, by: { id: string } | { redirectHash: Buffer }) =>
  transactions.one(sql, transactions().where(by));

export async function saveActionUrl(tx: Sql, id: string, actionUrl: Buffer): Promise<void> {
  await tx.run(transactions().where({ id }).update({ actionUrl }));
}
