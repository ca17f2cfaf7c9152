import type { Sql, Tx } from '../../../kernel/db/database';
import { recordTable } from '../../../kernel/db/record-table';

/** A destination that a tenant has named. */
export interface KnownDestination {
  tenantId: string;
  /** Keyed hash. */
  fingerprint: Buffer;
  /** From then on money goes to it by itself. Null: an operator refused it. */
  activeFrom: Date | null;
  /** The operator who ended its rest, or refused it. */
  decidedBy: string | null;
  decidedAt: Date | null;
}

type Named = Pick<KnownDestination, 'tenantId' | 'fingerprint'>;

const known = recordTable<KnownDestination>('payout_destinations', {}, [
  ...['tenantId', 'fingerprint', 'activeFrom', 'decidedBy', 'decidedAt'],
]);

/** Keeps the row of a destination that is known. */
export async function insertKnown(
  tx: Tx,
  given: Named & Pick<KnownDestination, 'activeFrom'>,
): Promise<void> {
  await tx.run(known().insert(given).onConflict().ignore());
}

export async function findKnown(sql: Sql, named: Named): Promise<KnownDestination> {
  const found = await known.one(sql, known().where(named));
  if (!found) throw new Error('the destination is not known');
  return found;
}

interface Made {
  decidedBy: string;
  at: Date;
}

export async function releaseKnown(tx: Tx, named: Named, { decidedBy, at }: Made): Promise<void> {
  await tx.run(known().where(named).update({ activeFrom: at, decidedBy, decidedAt: at }));
}

export async function refuseKnown(tx: Tx, named: Named, { decidedBy, at }: Made): Promise<void> {
  await tx.run(known().where(named).update({ activeFrom: null, decidedBy, decidedAt: at }));
}
