import { anyOf, raw, table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { OPEN_STATUSES } from './open-transfers';
import type { Transfer } from './record';

/**
 * A report about a transfer is stored as `due_by` in its row until a step has answered it, because a signal may be
 * lost. Each report sets a different and never later `due_by`, so a step recognises a report that came after its
 * question. The revision stays, because nothing has changed yet.
 */

type DueTransfer = Pick<Transfer, 'id' | 'kind' | 'tenantId'> & { partyRef: string };

/**
 * Makes the transfers due that a party reports by its names, in one statement. Locks the rows in the order of their
 * ids, so that concurrent reports wait for each other.
 * @returns the transfers; unknown names are left out
 */
export function makeDue(tx: Tx, party: string, refs: readonly string[], at: Date): Promise<DueTransfer[]> {
  const named = table('transfers').select('id').where({ party }).where(anyOf('party_ref', refs));
  return tx.run<DueTransfer>(
    table('transfers')
      .whereIn('id', named.orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) })
      .returning(['id', 'kind', 'tenantId', 'partyRef']),
  );
}

/**
 * Makes transfers due by their ids, in one statement. Locks the rows in the order of their ids.
 * @returns the transfers; unknown ids are left out
 */
export async function makeDueByIds(
  tx: Tx,
  ids: readonly string[],
  at: Date,
): Promise<Pick<Transfer, 'id' | 'kind' | 'tenantId' | 'partyRef'>[]> {
  if (ids.length === 0) return [];
  return tx.run(
    table('transfers')
      .whereIn('id', table('transfers').select('id').where(anyOf('id', ids)).orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) })
      .returning(['id', 'kind', 'tenantId', 'partyRef']),
  );
}

/** Makes a transfer due whose name at the party is not known yet. */
export async function makeDueById(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.run(
    table('transfers')
      .where({ id })
      .update({ dueBy: dueNow(at) }),
  );
}

/** Makes due all transfers without a timer, because their party's list cannot be read now. */
export async function makeUnwatchedDue(tx: Tx, party: string, at: Date): Promise<void> {
  const unwatched = table('transfers')
    .select('id')
    .where({ party })
    .whereNull('lookAt')
    .where('dueBy', '>', at);
  await tx.run(
    table('transfers')
      .whereIn('id', unwatched.orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) }),
  );
}

/** Makes due the open transfers of a tenant that no party was told of. */
export function makeUnorderedDue(
  tx: Tx,
  tenantId: string,
  at: Date,
): Promise<Pick<Transfer, 'id' | 'kind' | 'tenantId' | 'partyRef'>[]> {
  return tx.run(
    table('transfers')
      .whereIn('id', unorderedOf(tenantId).select('id').orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) })
      .returning(['id', 'kind', 'tenantId', 'partyRef']),
  );
}

/** The number of open transfers of a tenant that no party was told of. */
export async function countUnordered(sql: Sql, tenantId: string): Promise<number> {
  const [row] = await sql.run<{ count: string }>(unorderedOf(tenantId).count('*'));
  return Number(row?.count ?? 0);
}

const unorderedOf = (tenantId: string) =>
  table('transfers').where({ tenantId }).whereNull('orderedAt').whereIn('status', OPEN_STATUSES);

/** The earlier of `at` and one millisecond before `due_by`, so that each report changes it. `least` ignores nulls. */
const dueNow = (at: Date) => raw(`least(due_by - interval '1 millisecond', ?::timestamptz(3))`, [at]);

/**
 * Time by which the next step is due, after a step.
 * @param now `due_by` in the row
 * @param seen `due_by` before the party was asked; absent where the party was not asked
 * @param wanted the time that the step itself asks for
 */
export function dueAfter(now: Date | null, seen: Date | null | undefined, wanted: Date | null): Date | null {
  const isAnswered = now === null || (seen !== undefined && seen?.getTime() === now.getTime());
  if (isAnswered) return wanted;
  return wanted === null || now < wanted ? now : wanted;
}
