import type { Tx } from '../../../kernel/db/database';

/**
 * Skips numbers of IBANs, because IBANs that were enabled may be lost while payers have them. A payment to a skipped IBAN is in
 * suspense. Raw, because it takes numbers of the column's own sequence.
 */
export async function skipLostNumbers(tx: Tx, count: number): Promise<void> {
  await tx.query(
    `select count(nextval(pg_get_serial_sequence('virtual_ibans', 'number'))) from generate_series(1, $1::int)`,
    [count],
  );
}
