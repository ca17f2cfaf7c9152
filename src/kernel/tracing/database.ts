import type { Database } from '../db/database';
import { withinSpan } from './trace';

/** Transactions in spans. A span tells neither statements nor their values: the span around it tells whose transaction it is. */
export const tracedDatabase = (database: Database): Database => ({
  ...database,
  transaction: (work, options) =>
    withinSpan({ kind: 'client', name: 'transaction', attributes: { 'db.system.name': 'postgresql' } }, () =>
      database.transaction(work, options),
    ),
});
