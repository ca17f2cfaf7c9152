import { anyOf, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';

const remitters = () => table('iban_credit_remitters');

/** @param remitter sealed under the id of the credit */
export async function insertRemitter(tx: Sql, given: { id: string; remitter: Buffer }): Promise<void> {
  await tx.run(remitters().insert(given));
}

/** Sealed remitters of the credits that posted under the references. */
export const remittersByReference = (
  sql: Sql,
  references: readonly string[],
): Promise<{ referenceId: string; id: string; remitter: Buffer }[]> =>
  sql.run(
    table('transfer_entries as e')
      .join('iban_credit_remitters as r', 'r.id', 'e.transfer_id')
      .distinct('e.reference_id', 'r.id', 'r.remitter')
      .where(anyOf('e.reference_id', references)),
  );
