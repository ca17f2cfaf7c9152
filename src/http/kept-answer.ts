import type { Sql, Tx } from '../kernel/db/database';
import type { IdempotencyKey, StoredAnswer } from '../kernel/idempotency';
import { keepPersonalFields, personalFields } from '../kernel/personal-answers';
import type { Sealer } from '../kernel/security/sealer';
import type { ApiRequest, WriteRoute } from './route';

/**
 * Stored answers with personal data. The key stores the answer with empty personal fields, and their values are sealed apart
 * (`kernel/personal-answers.ts`). A repeat gets the first answer byte for byte. After the erasure of the user a repeat gets
 * the same answer with these fields empty, because the operation is still done.
 */

/** Gives the sealer of a user; of null, the one of answers that belong to no user. Undefined once the user was erased. */
export type AnswerSealers = (sql: Sql, userId: string | null) => Promise<Sealer | undefined>;

type Personal = Pick<WriteRoute, 'personal' | 'personOf' | 'personBefore'>;

/** The person whose data the personal fields of an answer are, and the sealer for them. */
interface Person {
  userId: string | null;
  /** Undefined once the user was erased. */
  sealer: Sealer | undefined;
}

const isSuccess = ({ status }: StoredAnswer): boolean => status < 300;

/** The person of the answer, where the request names one. */
export async function personNamed(
  sealers: AnswerSealers | undefined,
  sql: Sql,
  { personBefore }: Personal,
  request: ApiRequest,
): Promise<Person | undefined> {
  return personBefore && personIn(sealers, sql, await personBefore(request, sql));
}

/**
 * The body that the key stores. Unchanged where the answer has no personal field.
 * @param named from {@link personNamed}
 */
export async function keptBody(
  sealers: AnswerSealers | undefined,
  tx: Tx,
  { personal = [], personOf }: Personal,
  key: IdempotencyKey,
  given: StoredAnswer,
  named: Person | undefined,
): Promise<string> {
  if (personal.length === 0 || !isSuccess(given)) return given.body;
  const answer = JSON.parse(given.body) as Record<string, unknown>;
  const found = personal.filter((field) => answer[field] !== undefined);
  if (found.length === 0) return given.body;
  const { userId, sealer } = named ?? (await personIn(sealers, tx, personOf?.(answer)));
  const fields = Object.fromEntries(found.map((field) => [field, answer[field]]));
  if (sealer) keepPersonalFields(tx, key, { userId, fields }, sealer);
  // A value is emptied in its place, so that the order of the fields stays.
  for (const field of found) answer[field] = emptyAs(answer[field]);
  return JSON.stringify(answer);
}

async function personIn(
  sealers: AnswerSealers | undefined,
  sql: Sql,
  userId: string | null | undefined,
): Promise<Person> {
  if (!sealers || userId === undefined) throw new Error('a route with personal answers names no person');
  return { userId, sealer: await sealers(sql, userId) };
}

/** The answer to send for a stored one. */
export async function openedAnswer<Stored extends StoredAnswer>(
  sealers: AnswerSealers | undefined,
  sql: Sql,
  { personal }: Personal,
  key: IdempotencyKey,
  stored: Stored,
): Promise<Stored> {
  if (!sealers || !personal || !isSuccess(stored)) return stored;
  const fields = await personalFields(sql, key, (userId) => sealers(sql, userId));
  if (!fields) return stored;
  const answer = JSON.parse(stored.body) as Record<string, unknown>;
  return { ...stored, body: JSON.stringify(Object.assign(answer, fields)) };
}

function emptyAs(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}
