import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Stop, StopKind } from './record';
import { deleteStop, insertStop } from './store';

export { listStops } from './store';

/**
 * SQL condition: the record in a column is stopped. Postgres reads the stops once a statement, not once a row, because
 * each authorization uses it. Only for kinds with few stops.
 */
export const hasStop = (kind: StopKind, column: string): string =>
  `${column} = any(array(select subject from stops where kind = '${kind}'))`;

/**
 * Stores a stop, in the transaction that applies it and locks the record (decisions part 2, The operator can stop
 * things).
 * @throws Problem 409 `invalid_transition` when it is stopped already; the first reason stays
 */
export async function noteStop(tx: Tx, stop: Stop): Promise<void> {
  if (!(await insertStop(tx, stop)))
    throw conflict('invalid_transition', `${stop.subject} is stopped already: see "stops list".`);
}

/** @returns the ended stop @throws Problem 409 `invalid_transition` when there is none */
export async function endStop(tx: Tx, kind: StopKind, subject: string): Promise<Stop> {
  const ended = await deleteStop(tx, kind, subject);
  if (!ended) throw conflict('invalid_transition', `${subject} is not stopped by an operator.`);
  return ended;
}

/**
 * Deletes a stop without lifting it, because its record has ended or another stop replaces it.
 * @returns whether there was one
 */
export const forgetStop = async (tx: Sql, kind: StopKind, subject: string): Promise<boolean> =>
  (await deleteStop(tx, kind, subject)) !== undefined;
