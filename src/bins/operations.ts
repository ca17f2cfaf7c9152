import type { Tx } from '../db/database';

/** Lets a sandbox tenant issue on every demo BIN. */
export async function admitToDemoBins(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    'insert into tenant_bins (tenant_id, bin) select $1, bin from bins where demo on conflict do nothing',
    [tenantId],
  );
}
