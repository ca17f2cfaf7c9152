import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import type { Stop, StopKind } from './record';
import { deleteStop, insertStop } from './store';

export { listStops } from './store';

/**
 * SQL: whether the record that a column names is stopped. Postgres reads the stops of that kind once a statement, not once a row, because
 * an authorization pays for it. Only for kinds with few stops.
 */
export const hasStop = (kind: StopKind, column: string): string =>
  `${column} = any(array(select subject from stops where kind = '${kind}'))`;

/**
 * Notes a stop (decisions part 2, The operator can stop things), in the transaction that carries it out and holds the lock of
 * what is stopped.
 * @throws Problem 409 `invalid_transition` when it is stopped already: the first reason stands
 */
export async function noteStop(tx: Tx, stop: Stop): Promise<void> {
  if (!(await insertStop(tx, stop)))
    throw conflict('invalid_transition', `${stop.subject} is stopped already: see "stops list".`);
}

/** @returns the stop that has ended @throws Problem 409 `invalid_transition` when none stands */
export async function endStop(tx: Tx, kind: StopKind, subject: string): Promise<Stop> {
  const ended = await deleteStop(tx, kind, subject);
  if (!ended) throw conflict('invalid_transition', `${subject} is not stopped by an operator.`);
  return ended;
}

/** Forgets a stop that nobody lifts: its record has ended, or another stop replaces it. @returns whether one stood */
export const forgetStop = async (tx: Sql, kind: StopKind, subject: string): Promise<boolean> =>
  (await deleteStop(tx, kind, subject)) !== undefined;
