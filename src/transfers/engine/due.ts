import { anyOf, raw, table } from '../../kernel/db/build';
import type { Tx } from '../../kernel/db/database';
import { OPEN_STATUSES } from './open-transfers';
import type { Transfer } from './record';

/**
 * That a transfer is to be looked at stands in its row until it was: a signal may be lost. Each telling sets another `due_by`,
 * never a later one, so that a step sees whether it was told since it asked. The revision stays: nothing has changed yet.
 */

type Told = Pick<Transfer, 'id' | 'kind' | 'tenantId'> & { partyRef: string };

/**
 * Makes those due now that a party means by its names, in one statement. Rows are locked in the order of their ids: two that
 * tell of many at once wait for one another.
 * @returns them; a name that no transfer has is not among them
 */
export function makeDue(tx: Tx, party: string, refs: readonly string[], at: Date): Promise<Told[]> {
  const named = table('transfers').select('id').where({ party }).where(anyOf('party_ref', refs));
  return tx.run<Told>(
    table('transfers')
      .whereIn('id', named.orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) })
      .returning(['id', 'kind', 'tenantId', 'partyRef']),
  );
}

/** The same of one that does not know the party's name yet. */
export async function makeDueById(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.run(
    table('transfers')
      .where({ id })
      .update({ dueBy: dueNow(at) }),
  );
}

/** Those that nobody asks for, for the party's list tells of them: it cannot be read now. */
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

/** Makes those of a tenant due that wait, and that no party was told of. */
export function makeUnorderedDue(
  tx: Tx,
  tenantId: string,
  at: Date,
): Promise<Pick<Transfer, 'id' | 'kind' | 'tenantId' | 'partyRef'>[]> {
  const unordered = table('transfers')
    .select('id')
    .where({ tenantId })
    .whereNull('orderedAt')
    .whereIn('status', OPEN_STATUSES);
  return tx.run(
    table('transfers')
      .whereIn('id', unordered.orderBy('id').forNoKeyUpdate())
      .update({ dueBy: dueNow(at) })
      .returning(['id', 'kind', 'tenantId', 'partyRef']),
  );
}

/** Of two times the earlier, nothing being no time at all. */
const dueNow = (at: Date) => raw(`least(due_by - interval '1 millisecond', ?::timestamptz(3))`, [at]);

/**
 * When it must be looked at after a step.
 * @param now as it stands in the row
 * @param seen as it stood there before the party was asked; absent where the party was not asked
 * @param wanted by the step itself
 */
export function dueAfter(now: Date | null, seen: Date | null | undefined, wanted: Date | null): Date | null {
  const isAnswered = now === null || (seen !== undefined && seen?.getTime() === now.getTime());
  if (isAnswered) return wanted;
  return wanted === null || now < wanted ? now : wanted;
}
