import { table } from './db/build';
import type { Database, Sql, Tx } from './db/database';
import { forgetOldRows, type IdempotencyKey } from './idempotency';
import type { Sealer } from './security/sealer';

/**
 * The personal fields of answers that idempotency keys have stored, sealed. The fields are apart from the keys, so that an
 * erasure finds those of a user. The path of authorizations neither reads nor writes them.
 */

/** The personal fields of an answer, by name. */
export type PersonalFields = Record<string, unknown>;

/**
 * Stores the fields with the transaction.
 * @param userId whose data key seals them; null: the installation's key
 */
export function keepPersonalFields(
  tx: Tx,
  key: IdempotencyKey,
  { userId, fields }: { userId: string | null; fields: PersonalFields },
  sealer: Sealer,
): void {
  const { name } = key;
  const sealed = sealer.seal(Buffer.from(JSON.stringify(fields)), name);
  const row = { name, userId, sealed, permanent: key.permanent };
  // A row of a former, forgotten key of the same name may be left.
  tx.defer(table('personal_answers').insert(row).onConflict('name').merge());
}

/**
 * @param sealerOf the sealer of a user, or of null; undefined once the user was erased
 * @returns undefined where there are none, or where nobody can open them any more
 */
export async function personalFields(
  sql: Sql,
  key: IdempotencyKey,
  sealerOf: (userId: string | null) => Promise<Sealer | undefined>,
): Promise<PersonalFields | undefined> {
  const { name } = key;
  const [row] = await sql.run<{ userId: string | null; sealed: Buffer }>(
    table('personal_answers').select('userId', 'sealed').where({ name }),
  );
  const sealer = row && (await sealerOf(row.userId));
  return sealer && (JSON.parse(sealer.open(row.sealed, name).toString()) as PersonalFields);
}

/** Deletes the fields that an erased user's key has sealed. */
export async function forgetPersonalFields(tx: Sql, userId: string): Promise<void> {
  await tx.run(table('personal_answers').where({ userId }).delete());
}

/** Deletes the fields of keys that are forgotten. @returns the number of deleted rows */
export const forgetOldPersonalFields = (database: Database): Promise<number> =>
  forgetOldRows(database, 'personal_answers');
