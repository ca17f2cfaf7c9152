import { filtered } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { recordTable, safeInteger, wholeUnits } from '../../../kernel/db/record-table';
import type { WaitingPlace } from '../../../kernel/db/waiting';
import type { GasOperation } from '../operations/record';
import type { TokenRecovery } from './record';

const CODECS = {
  unitsBefore: wholeUnits,
  treasuryBefore: wholeUnits,
  unitsAfter: wholeUnits,
  treasuryAfter: wholeUnits,
  blockNumber: safeInteger,
};
const recoveries = recordTable<TokenRecovery>('token_recoveries', CODECS);

/** A recovery with the state of its sweep. */
export type ShownRecovery = TokenRecovery &
  Pick<GasOperation, 'status' | 'waitsFor' | 'txHash' | 'movedUnits' | 'failureReason'>;

const shown = recordTable<ShownRecovery>('token_recoveries as r', { ...CODECS, movedUnits: wholeUnits }, [
  'r.*',
  ...['o.status', 'o.waitsFor', 'o.txHash', 'o.movedUnits', 'o.failureReason'],
]);

export async function insertRecovery(tx: Tx, recovery: TokenRecovery): Promise<void> {
  await tx.run(recoveries().insert(recoveries.row(recovery)));
}

export async function updateRecovery(
  tx: Sql,
  operationId: string,
  after: Pick<TokenRecovery, 'unitsAfter' | 'treasuryAfter' | 'blockNumber'>,
): Promise<void> {
  await tx.run(recoveries().where({ operationId }).update(recoveries.row(after)));
}

/** The recovery that a sweep executes. */
export const findRecovery = (sql: Sql, operationId: string): Promise<TokenRecovery | undefined> =>
  recoveries.one(sql, recoveries().where({ operationId }));

/** Lists recoveries, newest first. The index `token_recoveries_newest` serves the query. */
export function listRecoveries(
  sql: Sql,
  { chain, after, limit }: { chain?: string | undefined; after?: WaitingPlace | undefined; limit: number },
): Promise<ShownRecovery[]> {
  const query = shown()
    .join('gas_operations as o', 'o.id', 'r.operationId')
    .modify(filtered, { 'r.chain': chain })
    .orderBy('r.createdAt', 'desc')
    .orderBy('r.operationId', 'desc')
    .limit(limit);
  if (after)
    void query.whereRaw('(r.created_at, r.operation_id) < (?::timestamptz, ?)', [
      ...[after.since.toISOString(), after.id],
    ]);
  return shown.all(sql, query);
}
