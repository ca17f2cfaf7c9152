import type { Database, Tx } from '../kernel/db/database';
import { dataKeyAlone, dataKeyWithNew, dataSealer } from '../kernel/security/data-keys';
import type { Keyring } from '../kernel/security/keyring';
import { USER_SEALED } from '../kernel/security/sealed-columns';
import type { Documents } from '../parties/documents/port';
import { resealDocuments } from './kyc/documents/documents';
import { requireUser } from './users/operations';

/**
 * Renews users' own keys while the product runs. First a user gets a new key, and keeps the earlier one behind it. An
 * hour later everything of the user is sealed under the new key, and the earlier one is destroyed. Each step may be
 * repeated after a break.
 */

/** An upload that began under the earlier key ends within this time (`kyc/documents/content.ts`). */
export const OVERLAP_SECONDS = 60 * 60;
/** Users of a transaction. */
const PORTION = 100;

export interface UserKeyDeps {
  /** As the owner of the schema, because the product may not change approved versions of users' data. */
  database: Database;
  keyring: Keyring;
  parties: { documents: Documents };
  now(): Date;
}

/** The users who get a new key: one, or all whose key was made before a time. */
export type RenewedUsers = { userId: string } | { madeBefore: Date };

/**
 * Gives users a new key, with the earlier one behind it. Leaves out erased users, and those whose renewal goes on.
 * @returns the number of users
 */
export async function beginUserKeys(
  { database, keyring }: UserKeyDeps,
  which: RenewedUsers,
): Promise<number> {
  // Raw SQL for the portions over the primary key, and for the lock.
  const [condition, value] =
    'userId' in which ? ['id = $2', which.userId] : ['data_key_at < $2', which.madeBefore];
  let total = 0;
  for (let after = ''; ; ) {
    const portion = await database.transaction(async (tx) => {
      const rows = await tx.query<{ id: string; dataKey: Buffer | null }>(
        `select id, case when ${condition} and octet_length(data_key) <= 64 then data_key end as "dataKey"
           from users where id > $1 order by id limit ${PORTION} for update`,
        [after, value],
      );
      const chosen = rows.filter(({ dataKey }) => dataKey !== null);
      for (const { id, dataKey } of chosen)
        await tx.query('update users set data_key = $2, data_key_at = product_now() where id = $1', [
          id,
          dataKeyWithNew(keyring, id, dataKey as Buffer),
        ]);
      return { count: chosen.length, last: rows.length < PORTION ? undefined : rows.at(-1)?.id };
    });
    total += portion.count;
    if (portion.last === undefined) return total;
    after = portion.last;
  }
}

/**
 * Seals everything of users anew who have an earlier key for long enough, and destroys that key.
 * @param overlapSeconds for tests
 * @returns how many users have no earlier key now, and how many still wait
 */
export async function endUserKeys(
  deps: UserKeyDeps,
  overlapSeconds: number = OVERLAP_SECONDS,
): Promise<{ ended: number; waiting: number }> {
  const count = { ended: 0, waiting: 0 };
  for (let after = ''; ; ) {
    // The partial index finds these users.
    const rows = await deps.database.query<{ id: string; isDue: boolean }>(
      `select id, data_key_at <= product_now() - make_interval(secs => $2) as "isDue" from users
        where octet_length(data_key) > 64 and id > $1 order by id limit ${PORTION}`,
      [after, overlapSeconds],
    );
    for (const { id, isDue } of rows) {
      if (isDue) await endUserKey(deps, id);
      count[isDue ? 'ended' : 'waiting'] += 1;
    }
    const last = rows.at(-1)?.id;
    if (last === undefined || rows.length < PORTION) return count;
    after = last;
  }
}

async function endUserKey(deps: UserKeyDeps, id: string): Promise<void> {
  const user = await requireUser(deps.database, null, id);
  if (user.dataKey === null) return;
  await resealDocuments(deps, user);
  await deps.database.transaction(async (tx) => {
    const { dataKey } = await requireUser(tx, null, id, { lock: 'update' });
    if (dataKey === null) return;
    await resealRows(tx, deps.keyring, { id, dataKey });
    const alone = dataKeyAlone(deps.keyring, id, dataKey);
    await tx.query('update users set data_key = $2 where id = $1', [id, alone]);
  });
}

async function resealRows(
  tx: Tx,
  keyring: Keyring,
  { id, dataKey }: { id: string; dataKey: Buffer },
): Promise<void> {
  const sealer = dataSealer(keyring, id, dataKey);
  for (const { table, column, key: primary, user, context } of USER_SEALED) {
    const rows = await tx.query<{ key: string; sealed: Buffer }>(
      `select ${primary}::text as key, ${column} as sealed from ${table}
        where ${user} = $1 and ${column} is not null for update`,
      [id],
    );
    for (const { key, sealed } of rows) {
      const opened = sealer.open(sealed, context ?? key);
      const anew = sealer.seal(opened, context ?? key);
      await tx.query(`update ${table} set ${column} = $2 where ${primary} = $1`, [key, anew]);
      opened.fill(0);
    }
  }
}
