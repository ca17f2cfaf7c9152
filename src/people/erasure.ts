import type { Sql, Tx } from '../kernel/db/database';
import { conflict } from '../kernel/errors';
import { forgetPersonalFields } from '../kernel/personal-answers';
import type { Services } from '../services';
import { requireTenant } from '../tenants/clients/operations';
import { forgetCardholders } from './cardholders/operations';
import { forgetDocuments } from './kyc/documents/documents';
import { forgetNotes } from './kyc/operations';
import { retainedUntil } from './retention';
import { forgetUser, requireUser, type User } from './users/operations';

/** Questions of an erasure to the districts below. */
export interface Unfinished {
  /** Describes an open transfer of the user's accounts (src/transfers/open-of-user.ts). Undefined where there is none. */
  openTransferOf(sql: Sql, user: User): Promise<string | undefined>;
}

type Deps = Pick<Services, 'database' | 'keyring' | 'parties' | 'now' | 'log'> & Unfinished;

/**
 * The time from which a user may be erased: when they have been blocked, and nothing of them was changed, for the
 * retention of the tenant. Null while the user is active, or was erased already.
 */
export async function erasableFrom(
  sql: Sql,
  { tenantId, status, dataKey, updatedAt }: User,
): Promise<Date | null> {
  if (status !== 'blocked' || dataKey === null) return null;
  return retainedUntil((await requireTenant(sql, tenantId)).settings, updatedAt);
}

/**
 * Erases the person: destroys the key of their data, and removes what names them. The ledger, the ids and the decisions
 * stay. The user's lock and block keep new transfers out.
 * @throws Problem 404, 409 `invalid_transition` before the retention is over, or while a transfer of the user is open
 */
export async function eraseUser(deps: Deps, tx: Tx, id: string): Promise<User> {
  const user = await requireUser(tx, null, id, { lock: 'update' });
  assertErasable(await erasableFrom(tx, user), deps.now());
  await assertFinished(deps, tx, user);
  await forgetDocuments(deps, tx, user);
  await forgetNotes(tx, user.id);
  await forgetCardholders(tx, user.id);
  await forgetPersonalFields(tx, user.id);
  return forgetUser(tx, user.id);
}

/** @throws Problem 409 `invalid_transition` naming an open transfer, which still needs its sealed destination */
export async function assertFinished({ openTransferOf }: Unfinished, sql: Sql, user: User): Promise<void> {
  const open = await openTransferOf(sql, user);
  if (open !== undefined) throw conflict('invalid_transition', `The user is not erased: ${open}.`);
}

/** @throws Problem 409 `invalid_transition` */
export function assertErasable(from: Date | null, now: Date): void {
  if (from === null) throw conflict('invalid_transition', 'Only a blocked user may be erased, and once.');
  if (from > now)
    throw conflict('invalid_transition', `The user must be kept until ${from.toISOString().slice(0, 10)}.`);
}
