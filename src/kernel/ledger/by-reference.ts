import { raw, table } from '../db/build';
import type { Sql } from '../db/database';

/** A ledger entry as the owner of its account sees it. */
export interface ListedLeg {
  id: string;
  accountId: string;
  type: string;
  subtype: string | null;
  currency: string;
  /** Changes of the balances, decimal strings. */
  available: string;
  pending: string;
  at: Date;
}

/** Account transactions with this reference, oldest first. */
export const listedByReference = (sql: Sql, reference: string, limit: number): Promise<ListedLeg[]> =>
  sql.run<ListedLeg>(
    table('ledger_legs')
      .select('id', 'accountId', 'type', 'subtype', 'currency', 'at')
      .select(raw('available::text as available'), raw('pending::text as pending'))
      .where({ referenceId: reference, listed: true })
      .orderBy(['at', 'accountId', 'number'])
      .limit(limit),
  );
