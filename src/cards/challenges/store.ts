import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import { overdueIn } from '../../process/overdue';
import type { Challenge } from './record';

const challenges = () => table('card_challenges');

type Row = Omit<Challenge, 'amount'> & { amount: string };

const fromRow = (row: Row): Challenge => ({ ...row, amount: new Decimal(row.amount) });

/** @returns false where the processor has used this name before */
export async function insertChallenge(tx: Tx, challenge: Challenge): Promise<boolean> {
  const { amount, merchant, ...given } = challenge;
  const rows = await tx.run(
    challenges()
      .insert({ ...given, amount: amount.toFixed(), merchant: JSON.stringify(merchant) })
      .onConflict('challengeId')
      .ignore()
      .returning('id'),
  );
  return rows.length === 1;
}

type Name = { id: string } | { challengeId: string };

export async function findChallenge(sql: Sql, name: Name): Promise<Challenge | undefined> {
  const [row] = await sql.run<Row>(challenges().where(name));
  return row && fromRow(row);
}

/** Holds the row to the end of the transaction. @throws Error when there is none: callers have found the challenge before */
export async function lockChallenge(tx: Tx, name: Name): Promise<Challenge> {
  const [row] = await tx.run<Row>(challenges().where(name).forUpdate());
  if (!row) throw new Error(`there is no challenge ${Object.values(name)[0]}`);
  return fromRow(row);
}

export async function updateChallenge(
  tx: Tx,
  id: string,
  change: Partial<Pick<Challenge, 'status' | 'wrongCodes' | 'codeNumber' | 'sendBy' | 'codeEndsAt'>>,
  at: Date,
): Promise<void> {
  await tx.run(
    challenges()
      .where({ id })
      .update({ ...change, updatedAt: at }),
  );
}

/** How many challenges a card has had since a moment. */
export async function countChallenges(sql: Sql, cardId: string, since: Date): Promise<number> {
  const query = challenges().where({ cardId }).where('createdAt', '>=', since);
  const [row] = await sql.run<{ count: string }>(query.count('* as count'));
  return Number(row?.count ?? 0);
}

/** Challenges whose mail should have been sent by now. */
export const overdueChallenges = overdueIn<Pick<Challenge, 'id' | 'tenantId' | 'codeNumber'>>(
  'card_challenges',
  {
    columns: ['id', 'tenantId', 'codeNumber'],
    dueBy: 'updated_at',
    open: `status = 'sending'`,
  },
);
