import type { Sql } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { operatorNameOf } from './actors';

/**
 * Whether a chain of invitations leads from one operator to the other, so that both names may be of one person. The same
 * name is of one hand, too.
 */
export async function isOneHand(sql: Sql, one: string, other: string): Promise<boolean> {
  const [row] = await sql.query<{ same: boolean }>('select is_one_hand($1, $2) as same', [one, other]);
  return row?.same ?? false;
}

/** Refuses two operators of one hand. @throws Problem 409 `invalid_transition` */
export async function assertTwoPeople(sql: Sql, one: string, other: string): Promise<void> {
  if (await isOneHand(sql, one, other))
    throw conflict(
      'invalid_transition',
      `Of ${operatorNameOf(one)} and ${operatorNameOf(other)}, one has invited the other, or stands behind the invitation: a third operator must do it.`,
    );
}
