import { randomUUID } from 'node:crypto';
import { audit } from '../../kernel/audit/audit';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { Decimal, maxOf } from '../../kernel/money/money';
import type { Alone, Weight } from './record';
import {
  insertAdminLimit,
  insertAlone,
  lockAdminLimit,
  readAdminLimit,
  sumsUnderLock,
  updateAdminLimit,
} from './store';

export type { Alone, Weight } from './record';
export { readAdminLimit } from './store';

/** Where no process was ever told another one. */
const DEFAULT_LIMIT = new Decimal(1_000_000);

/**
 * Keeps the limit that a process was started with: the installation's from now on, for every process and the command line.
 * One that was told none leaves what stands.
 * @param by as the audit log names it
 */
export async function keepAdminLimit(tx: Tx, given: Decimal | undefined, by: string): Promise<void> {
  const first = given ?? DEFAULT_LIMIT;
  if (await insertAdminLimit(tx, first)) return writeDown(tx, by, undefined, first);
  if (given === undefined) return;
  const before = await lockAdminLimit(tx);
  if (before?.eq(given)) return;
  await updateAdminLimit(tx, given, new Date());
  await writeDown(tx, by, before ?? undefined, given);
}

function writeDown(tx: Tx, by: string, before: Decimal | undefined, after: Decimal): Promise<void> {
  return audit(tx, {
    ...{ caller: { tenantId: by, role: 'admin' }, requestId: randomUUID(), tenantId: null },
    ...{ action: 'installation.admin-limit', subject: '' },
    before: before && { limit: before.toFixed() },
    after: { limit: after.toFixed() },
  });
}

/**
 * Whether it takes two, by the limit and the sums of now. The sums stand still until the transaction ends, so whoever counts
 * it and carries it out in this one is not overtaken. Called before any account or transfer is locked.
 */
export async function weighAlone(tx: Tx, alone: Alone): Promise<Weight> {
  const [{ ofSubject, ofPerson }, limit] = await Promise.all([sumsUnderLock(tx, alone), readAdminLimit(tx)]);
  const sum = maxOf(ofSubject, ofPerson).plus(alone.amount);
  return { alone, limit, sum, takesTwo: limit === null || sum.gt(limit) };
}

/**
 * Adds what is carried out in this transaction to the sums.
 * @returns the limit that it was judged by, for the audit log
 * @throws Problem 409 `limit_exceeded` for what takes two
 */
export function countAlone(tx: Tx, { alone, limit, sum, takesTwo }: Weight): string | null {
  if (takesTwo) {
    const why = limit === null ? 'No limit is known, so' : `Above ${limit.toFixed()}`;
    const { amount, currency } = alone;
    const before = sum.eq(amount)
      ? ''
      : ` With what was decided before it comes to ${sum.toFixed()} ${currency}.`;
    throw conflict(
      'limit_exceeded',
      `${why} it takes two operators, at the command line.${before}`,
      'amount',
    );
  }
  insertAlone(tx, alone);
  return limitText(limit);
}

/** As the audit log keeps it beside what was decided by it. */
export const limitText = (limit: Decimal | null): string | null => limit?.toFixed() ?? null;
