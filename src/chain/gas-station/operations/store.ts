import { filtered, type Locking, locked, raw } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { beginOf } from '../../../kernel/db/page-begin';
import { recordTable, safeInteger, wholeUnits } from '../../../kernel/db/record-table';
import { overdueIn } from '../../../process/overdue';
import {
  GAS_OPERATION_STATUSES,
  type GasOperation,
  type GasOperationStatus,
  type GasOperationType,
} from './record';
import { EXPIRES_AFTER_MS, isOpen, ownerOf } from './rules';

const operations = recordTable<GasOperation>('gas_operations', {
  units: wholeUnits,
  movedUnits: wholeUnits,
  lostUnits: wholeUnits,
  feeUnits: wholeUnits,
  exportedBlock: safeInteger,
  newsFrom: safeInteger,
});

const OPEN_STATUSES = GAS_OPERATION_STATUSES.filter((status) => isOpen({ status }));
/** Repeats the predicate of the partial indexes that serve it. */
export const IS_OPEN = `status in (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** @returns undefined when the wallet has an open operation of that type */
export function insertOperation(tx: Sql, operation: GasOperation): Promise<GasOperation | undefined> {
  const open = raw(`(wallet_id, type) where ${IS_OPEN}`);
  return operations.writtenOne(tx, operations().insert(operations.row(operation)).onConflict(open).ignore());
}

export const findOperation = (
  sql: Sql,
  id: string,
  locking: Locking = {},
): Promise<GasOperation | undefined> =>
  operations.one(sql, operations().where({ id }).modify(locked, locking));

/** Updates an operation that the caller has locked, and increments its revision. */
export function updateOperation(
  tx: Sql,
  id: string,
  change: Partial<Omit<GasOperation, 'id' | 'revision'>>,
): Promise<GasOperation> {
  const row = { ...operations.row(change), revision: raw('revision + 1') };
  return operations.saved(tx, operations().where({ id }).update(row));
}

/**
 * Lists waiting sweeps of the same station, token and treasury without a transaction, oldest first.
 * @param most limit of the list
 */
export function gatherable(
  sql: Sql,
  { id, chain, token, stationAddress, toAddress }: GasOperation,
  at: Date,
  most: number,
): Promise<GasOperation[]> {
  return operations.all(
    sql,
    operations()
      .where({ chain, token, stationAddress, toAddress, status: 'pending', type: 'sweep', batchOf: null })
      .where({ execution: 'local' })
      .whereRaw(IS_OPEN)
      .where('expiresAt', '>', at)
      .whereNot({ id })
      .whereRaw(
        'not exists (select from chain_nonces where operation_id = gas_operations.id and released_at is null)',
      )
      .orderBy([{ column: 'createdAt' }, { column: 'id' }])
      .limit(most),
  );
}

/**
 * Locks operations that are unchanged since they were read, without waiting.
 * @returns whether all were locked
 */
export async function lockUnchanged(tx: Sql, given: readonly GasOperation[]): Promise<boolean> {
  if (given.length === 0) return true;
  const ids = given.map(({ id }) => id);
  const locked = await tx.run<{ id: string; revision: number }>(
    operations()
      .select('id', 'revision')
      .whereRaw('id = any(?::text[])', [ids])
      .forNoKeyUpdate()
      .skipLocked(),
  );
  const revisions = new Map(locked.map(({ id, revision }) => [id, revision]));
  return given.every(({ id, revision }) => revisions.get(id) === revision);
}

type Sent = Pick<GasOperation, 'id' | 'stationAddress'>;

/** Whether others may share the operation's transaction. Only a station sends for several wallets. */
const mayBeShared = ({ stationAddress }: Sent): boolean => stationAddress !== null;

/** Counts the operations that share an operation's transaction, without the one that owns it. */
export async function countMembers(sql: Sql, of: Sent & Pick<GasOperation, 'batchOf'>): Promise<number> {
  if (!mayBeShared(of)) return 0;
  const members = operations().where({ batchOf: ownerOf(of) });
  const [row] = await sql.run<{ count: number }>(members.select(raw('count(*)::int as count')));
  return row?.count ?? 0;
}

/** Lists the operations that share the transaction of its owner. */
export const membersOf = async (sql: Sql, owner: Sent): Promise<GasOperation[]> =>
  mayBeShared(owner) ? operations.all(sql, operations().where({ batchOf: owner.id })) : [];

/** Frees the members of a batch whose transaction was dropped. Each gets another one. */
export function freeMembers(tx: Tx, owner: Sent): void {
  if (!mayBeShared(owner)) return;
  const members = operations().where({ batchOf: owner.id });
  tx.defer(members.update({ batchOf: null, revision: raw('revision + 1') }));
}

/**
 * Stores the time of the next look, and the height from which it asks the nodes, unless the operation has changed.
 * @param newsFrom absent: as before
 */
export async function keepDueBy(
  sql: Sql,
  { id, revision }: GasOperation,
  { dueBy, newsFrom }: { dueBy: Date | null; newsFrom?: number | undefined },
): Promise<void> {
  const row = newsFrom === undefined ? { dueBy } : { dueBy, newsFrom };
  await sql.run(operations().where({ id, revision }).update(row));
}

/** The operation that a transaction belongs to. */
export async function operationOfHash(sql: Sql, chain: string, txHash: string): Promise<string | undefined> {
  const [row] = await sql.run<{ id: string }>(operations().select('id').where({ chain, txHash }));
  return row?.id;
}

export interface OperationFilter {
  chain?: string | undefined;
  status?: string | undefined;
  type?: GasOperationType | undefined;
  asset?: string | undefined;
  walletId?: string | undefined;
}

export interface OperationPage {
  /** End of the page before. */
  after?: [createdAt: string, id: string] | undefined;
  rows?: number | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/**
 * Lists operations newest first by time, because ids of the two types do not sort together.
 * @param open only open operations
 */
export function listOperations(
  sql: Sql,
  filter: OperationFilter,
  { after, rows, from, to }: OperationPage,
  { open }: { open: boolean },
): Promise<GasOperation[]> {
  const query = operations().modify(filtered, { ...filter });
  if (open) void query.whereRaw(IS_OPEN);
  if (after || to)
    void query.whereRaw('(created_at, id) < (?::timestamptz, ?)', beginOf(after, to, ['infinity', '']));
  if (from) void query.where('createdAt', '>=', from);
  if (rows !== undefined) void query.limit(rows);
  return operations.all(sql, query.orderBy('createdAt', 'desc').orderBy('id', 'desc'));
}

/** Counts the open operations of an asset on a chain. */
export async function countOpenOf(sql: Sql, chain: string, asset: string): Promise<number> {
  return (await listOperations(sql, { chain, asset }, {}, { open: true })).length;
}

/** The open operations of a wallet, at most one of each type. */
export const openOperationsOf = (sql: Sql, walletId: string): Promise<GasOperation[]> =>
  operations.all(sql, operations().where({ walletId }).whereRaw(IS_OPEN));

/** Lists failed sweeps of a chain, or of one wallet and asset, since a time. */
export const failedSweeps = (
  sql: Sql,
  { chain, walletId, asset }: { chain: string; walletId?: string; asset?: string },
  since: Date,
): Promise<Pick<GasOperation, 'walletId' | 'asset' | 'updatedAt'>[]> =>
  sql.run(
    operations()
      .select('walletId', 'asset', 'updatedAt')
      .where({ chain, type: 'sweep', status: 'failed' })
      .modify(filtered, { walletId, asset })
      .where('updatedAt', '>=', since)
      // Serves an index: an operation ends soon after it expires.
      .where('createdAt', '>=', new Date(since.getTime() - 2 * EXPIRES_AFTER_MS)),
  );

/** Counts the open operations by status. The partial index of open operations serves it. */
export const countOpenByStatus = (
  sql: Sql,
): Promise<{ type: GasOperationType; status: GasOperationStatus; count: number }[]> =>
  sql.run(
    operations()
      .select('type', 'status', raw('count(*)::int as count'))
      .whereRaw(IS_OPEN)
      .groupBy('type', 'status')
      .orderBy(['type', 'status']),
  );

/** Counts open operations of a chain by type. */
export async function countOpen(sql: Sql, chain: string): Promise<Record<GasOperationType, number>> {
  const rows = await sql.run<{ type: GasOperationType; count: number }>(
    operations()
      .select('type', raw('count(*)::int as count'))
      .where({ chain })
      .whereRaw(IS_OPEN)
      .groupBy('type'),
  );
  const counts = { sweep: 0, topup: 0 };
  for (const { type, count } of rows) counts[type] = count;
  return counts;
}

/**
 * Fees booked since a time, in the native coin's smallest units. The fee of a reverted transaction has no time of its
 * own, so an unexecuted operation's last change counts. The fee may then be counted again on a later day.
 */
export async function feesSince(sql: Sql, chain: string, since: Date): Promise<bigint> {
  const [row] = await sql.run<{ total: string }>(
    operations()
      .select(raw('coalesce(sum(fee_units), 0)::text as total'))
      .where({ chain })
      .whereRaw('coalesce(executed_at, updated_at) >= ?', [since])
      .whereNotNull('feeUnits'),
  );
  return BigInt(row?.total ?? 0);
}

export const overdueGasOperations = overdueIn<{ id: string }>('gas_operations', {
  columns: ['id'],
  dueBy: 'due_by',
  open: 'due_by is not null',
});
