import type { Sql } from '../kernel/db/database';
import type { IdempotencyKey, StoredAnswer } from '../kernel/idempotency';
import type { Sealer } from '../kernel/security/sealer';
import type { ApiRequest, WriteRoute } from './route';

/**
 * Stored answers with personal data. The fields `personal` of a route are sealed under the data key of their user, and the
 * rest of the answer stays as it is. A repeat therefore gets the first answer byte for byte. After the user's erasure a
 * repeat gets the same answer with these fields empty, because the operation is still done.
 */

/** Gives the sealer of a user; of null, the one of answers that belong to no user. Undefined once the user was erased. */
export type AnswerSealers = (sql: Sql, userId: string | null) => Promise<Sealer | undefined>;

interface Kept {
  /** Id of the user. Null: the installation's key for answers. */
  sealedFor: string | null;
  /** The values of the personal fields, as sealed JSON in base64. */
  sealed: string;
  /** The answer with empty personal fields. */
  answer: Record<string, unknown>;
}

/** No answer of the API begins so. */
const MARK = '{"sealedFor":';

const contextOf = ({ tenantId, scope, key }: IdempotencyKey): string =>
  JSON.stringify(['answer', tenantId, scope, key]);

/** The body to store for an answer. Unchanged where the answer has no personal field. */
export async function keptBody(
  sealers: AnswerSealers | undefined,
  tx: Sql,
  { personal = [], personOf }: Pick<WriteRoute, 'personal' | 'personOf'>,
  request: ApiRequest,
  key: IdempotencyKey,
  { status, body }: StoredAnswer,
): Promise<string> {
  if (personal.length === 0 || status >= 300) return body;
  const answer = JSON.parse(body) as Record<string, unknown>;
  const found = personal.filter((field) => answer[field] !== undefined);
  if (found.length === 0) return body;
  if (!personOf || !sealers) throw new Error('a route with personal answers names no person');
  const sealedFor = await personOf(answer, request, tx);
  const sealer = await sealers(tx, sealedFor);
  const values = Object.fromEntries(found.map((field) => [field, answer[field]]));
  // A value is emptied in its place, so that the order of the fields stays.
  for (const field of found) answer[field] = emptyAs(answer[field]);
  if (!sealer) return JSON.stringify(answer);
  const sealed = sealer.seal(Buffer.from(JSON.stringify(values)), contextOf(key)).toString('base64');
  return JSON.stringify({ sealedFor, sealed, answer } satisfies Kept);
}

/** The answer to send for a stored one. */
export async function openedAnswer<Stored extends StoredAnswer>(
  sealers: AnswerSealers | undefined,
  sql: Sql,
  key: IdempotencyKey,
  stored: Stored,
): Promise<Stored> {
  if (!sealers || !stored.body.startsWith(MARK)) return stored;
  const { sealedFor, sealed, answer } = JSON.parse(stored.body) as Kept;
  const sealer = await sealers(sql, sealedFor);
  const values = sealer?.open(Buffer.from(sealed, 'base64'), contextOf(key)).toString('utf8') ?? '{}';
  return { ...stored, body: JSON.stringify(Object.assign(answer, JSON.parse(values))) };
}

function emptyAs(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}
