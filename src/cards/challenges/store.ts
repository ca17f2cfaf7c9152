import { camelRow } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { oldestRows } from '../../kernel/db/portions';
import { decimal, json, recordTable } from '../../kernel/db/record-table';
import type { Write } from '../../kernel/db/writes';
import { overdueIn } from '../../process/overdue';
import type { Challenge } from './record';

const challenges = recordTable<Challenge>('card_challenges', { amount: decimal, merchant: json });

/** @returns false when the processor has used this id before */
export async function insertChallenge(tx: Tx, challenge: Challenge): Promise<boolean> {
  const query = challenges().insert(challenges.row(challenge)).onConflict('challengeId').ignore();
  return (await tx.run(query.returning('id'))).length === 1;
}

type Name = { id: string } | { challengeId: string };

export const findChallenge = (sql: Sql, name: Name) => challenges.one(sql, challenges().where(name));

/**
 * Locks a challenge until the end of the transaction.
 * @throws Error when there is none, because callers have found it before
 */
export async function lockChallenge(tx: Tx, name: Name): Promise<Challenge> {
  const challenge = await challenges.one(tx, challenges().where(name).forUpdate());
  if (!challenge) throw new Error(`there is no challenge ${Object.values(name)[0]}`);
  return challenge;
}

/**
 * Locks those of the named challenges that belong to these cards, until the end of the transaction. Callers lock the
 * cards first. Locks are taken in the order of `challengeId`. A challenge of another card is not found.
 * @returns the challenges by `challengeId`
 */
export async function lockChallengesOf(
  sql: Sql,
  cardIds: string[],
  challengeIds: string[],
): Promise<Map<string, Challenge>> {
  // Prepared, because an authorization that names a challenge runs it.
  const rows = await sql.prepared(
    'challenges-lock',
    'select * from card_challenges where challenge_id = any($1) and card_id = any($2) order by challenge_id for update',
    [challengeIds, cardIds],
  );
  const found = rows.map(camelRow).map(challenges.record);
  return new Map(found.map((challenge) => [challenge.challengeId, challenge]));
}

/** Writes new statuses of locked challenges. Raw SQL, because the hot path defers this write to its commit. */
export function challengesWrite(changed: Challenge[]): Write | undefined {
  if (changed.length === 0) return undefined;
  return {
    name: 'challenges',
    statement: `update card_challenges c set status = n.status, updated_at = n.updated_at
      from unnest($1::text[], $2::text[], $3::timestamptz[]) as n(id, status, updated_at) where c.id = n.id`,
    values: [
      changed.map(({ id }) => id),
      changed.map(({ status }) => status),
      changed.map(({ updatedAt }) => updatedAt),
    ],
  };
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

/** The number of challenges that a card has had since a moment. */
export async function countChallenges(sql: Sql, cardId: string, since: Date): Promise<number> {
  const query = challenges().where({ cardId }).where('createdAt', '>=', since);
  const [row] = await sql.run<{ count: string }>(query.count('* as count'));
  return Number(row?.count ?? 0);
}

/**
 * Deletes challenges older than 400 days.
 * @returns the number of deleted challenges
 */
export async function deleteOldChallenges(tx: Tx, limit: number): Promise<number> {
  const gone = await tx.query(
    `delete from card_challenges where ${oldestRows('card_challenges', '400 days')} returning id`,
    [limit],
  );
  return gone.length;
}

/** Challenges whose mail is overdue. */
export const overdueChallenges = overdueIn<Pick<Challenge, 'id' | 'tenantId' | 'codeNumber'>>(
  'card_challenges',
  {
    columns: ['id', 'tenantId', 'codeNumber'],
    dueBy: 'updated_at',
    open: `status = 'sending'`,
  },
);
