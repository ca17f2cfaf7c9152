import { createHash } from 'node:crypto';
import { z } from 'zod';
import { raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { existsSign } from '../../kernel/db/lookout';
import { checkedAddress } from '../chain/addresses';
import type { SignedAuthorization, UnsignedTransaction } from '../chain/port';
import type { Authorization, SignedTransaction } from './port';

/**
 * Requests to the signing process, as rows. The signing process therefore listens nowhere, a request outlives either
 * side, and a workflow gets no event more. The cost is that both sides ask the
 * database for news: the signing process by its lookout, the asker while it waits.
 *
 * A request is known by its content: a repeat is the same row, and the signature has the same bytes.
 */
export type SigningRequest =
  | { kind: 'transaction'; index: number; transaction: UnsignedTransaction }
  | { kind: 'authorization'; index: number; authorization: Authorization };

/** Answer of the signing process: signed bytes, or a sentence why it refuses. */
export type SigningAnswer =
  | { signed: SignedTransaction }
  | { authorized: SignedAuthorization }
  | { refused: string };

const requests = () => table('signing_requests');
const MACHINE_NOW = raw(`date_trunc('milliseconds', clock_timestamp())`);

/** A request that nobody has repeated for this time is not signed any more. Its operation may have ended. */
const FORSAKEN_AT = `clock_timestamp() - interval '30 seconds'`;
const FORSAKEN = raw(FORSAKEN_AT);

/** JSON of a request, in one order, with whole numbers of units as text. */
const written = (request: SigningRequest): string =>
  JSON.stringify(request, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));

export const digestOf = (request: SigningRequest): string =>
  createHash('sha256').update(written(request)).digest('hex');

/**
 * Makes or repeats a request. An answer that is there already stays.
 * @returns whether it is there
 */
export async function keepRequest(sql: Sql, request: SigningRequest): Promise<boolean> {
  const [row] = await sql.run<{ answeredAt: Date | null }>(
    requests()
      .insert({ digest: digestOf(request), request: written(request), askedAt: MACHINE_NOW })
      .onConflict('digest')
      .merge({ askedAt: MACHINE_NOW })
      .returning('answeredAt'),
  );
  return row !== undefined && row.answeredAt !== null;
}

/** Reads an answer and deletes its row. Undefined while there is none. */
export async function takeAnswer(sql: Sql, digest: string): Promise<SigningAnswer | undefined> {
  const [row] = await sql.run<{ answer: SigningAnswer }>(
    requests().where({ digest }).whereNotNull('answeredAt').delete().returning('answer'),
  );
  return row?.answer;
}

/** A request as the signing process finds it. Any process can have written it. */
export interface OpenRequest {
  digest: string;
  request: unknown;
}

/** Whether requests wait. */
export const OPEN_REQUESTS = existsSign(
  'signing requests',
  `from signing_requests where answered_at is null and asked_at > ${FORSAKEN_AT} order by asked_at`,
);

/** Lists the requests that wait, the longest first. */
export const openRequests = (sql: Sql, limit: number): Promise<OpenRequest[]> =>
  sql.run<OpenRequest>(
    requests()
      .select('digest', 'request')
      .whereNull('answeredAt')
      .where('askedAt', '>', FORSAKEN)
      .orderBy('askedAt')
      .limit(limit),
  );

export async function answerRequest(sql: Sql, digest: string, answer: SigningAnswer): Promise<void> {
  await sql.run(
    requests()
      .where({ digest, answeredAt: null })
      .update({ answer: JSON.stringify(answer), answeredAt: MACHINE_NOW }),
  );
}

/** Deletes the requests that nobody repeats, with their answers. */
export async function forgetForsaken(sql: Sql): Promise<void> {
  await sql.run(requests().where('askedAt', '<', FORSAKEN).delete());
}

const address = z.string().transform((text, context) => {
  const checked = checkedAddress('evm', text);
  if (checked === undefined) context.addIssue('no address');
  return checked ?? text;
});
const hex = z.string().regex(/^0x([0-9a-f]{2})*$/i);
const units = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const index = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const chainId = z.int().min(1);
const nonce = z.int().min(0);

const authorization = z.strictObject({ chainId, contract: address, nonce });
const transaction = z.strictObject({
  chainId,
  nonce,
  from: address,
  to: address,
  value: units,
  data: hex,
  gas: units,
  maxFeePerGas: units,
  maxPriorityFeePerGas: units,
  authorizations: z
    .array(authorization.extend({ yParity: z.int().min(0).max(1), r: hex, s: hex }))
    .optional(),
});
const readable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('transaction'), index, transaction }),
  z.strictObject({ kind: z.literal('authorization'), index, authorization }),
]);

/** Reads a stored request strictly. Undefined where it is none. */
export function readRequest(stored: unknown): SigningRequest | undefined {
  const { success, data } = readable.safeParse(stored);
  return success ? data : undefined;
}
