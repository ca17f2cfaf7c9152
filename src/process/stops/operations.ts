import type { Sql, Tx } from '../../kernel/db/database';
import { conflict, type Problem } from '../../kernel/errors';
import type { Stop, StopKind } from './record';
import { deleteStop, findStops, insertStop } from './store';

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
  if (!(await insertStop(tx, stop))) throw stoppedAlready(stop.subject);
}

const stoppedAlready = (subject: string): Problem =>
  conflict('invalid_transition', `${subject} is stopped already: see "stops list".`);

/** @returns the ended stop @throws Problem 409 `invalid_transition` when there is none */
export async function endStop(tx: Tx, kind: StopKind, subject: string): Promise<Stop> {
  const ended = await deleteStop(tx, kind, subject);
  if (!ended) throw notStopped(subject);
  return ended;
}

const notStopped = (subject: string): Problem =>
  conflict('invalid_transition', `${subject} is not stopped by an operator.`);

/** The kinds of stops of a record that are in force, sorted. */
export const stopsOf = async (sql: Sql, kinds: readonly StopKind[], subject: string): Promise<StopKind[]> =>
  (await findStops(sql, kinds, subject)).map(({ kind }) => kind).sort();

/** Refuses in a preview what {@link noteStop} refuses. @throws Problem 409 */
export function assertNoStop(stops: readonly StopKind[], kind: StopKind, subject: string): void {
  if (stops.includes(kind)) throw stoppedAlready(subject);
}

/** Refuses in a preview what {@link endStop} refuses. @throws Problem 409 */
export function assertStopped(stops: readonly StopKind[], subject: string): void {
  if (stops.length === 0) throw notStopped(subject);
}

/**
 * Deletes a stop without lifting it, because its record has ended or another stop replaces it.
 * @returns whether there was one
 */
export const forgetStop = async (tx: Sql, kind: StopKind, subject: string): Promise<boolean> =>
  (await deleteStop(tx, kind, subject)) !== undefined;
