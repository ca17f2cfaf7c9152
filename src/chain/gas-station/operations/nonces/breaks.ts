import type { Sql } from '../../../../kernel/db/database';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../../../process/breaks/operations';
import type { Attempt } from './record';

/** What a person is shown of nonces. */

const TAKEN = 'gas_nonce_taken';
const GAP = 'gas_nonce_gap';
const VANISHED = 'gas_operation_vanished';

type Held = Pick<Attempt, 'operationId' | 'address' | 'nonce'>;

/** A transaction that we know nothing of has used the nonce. */
export const showTaken = (sql: Sql, held: Held): Promise<void> => openBreakAgain(sql, breakOf(TAKEN, held));

/** It waits for earlier transactions of its sender, of which nothing is seen. */
export const showGap = (
  sql: Sql,
  { operationId, address }: Pick<Attempt, 'operationId' | 'address'>,
): Promise<void> => openBreakAgain(sql, { tenantId: null, kind: GAP, subject: operationId, detail: address });

/** It is the sender's next. */
export const closeGap = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [GAP], at });

/** What was executed is on the chain no more, though it was in a block for good: what was booked of it may be so no more. */
export const showVanished = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf(VANISHED, held));

/** So many at a time: nobody has more. */
const MOST = 1_000;

/** The operations of which something is shown to have vanished. */
export async function vanishedOperations(sql: Sql): Promise<string[]> {
  const open = await listBreaks(sql, { kind: VANISHED, limit: MOST });
  return [...new Set(open.map(({ subject }) => subject))];
}

/** What had vanished is in a block again. */
export const closeVanished = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [VANISHED], at });

/** The operation has ended: what becomes of its nonces is told by what was booked. */
export const closeEnded = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN, GAP, VANISHED], at });

/** A transaction of the operation's own is seen after all. */
export const closeTaken = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN, GAP], at });

const breakOf = (kind: string, { operationId, address, nonce }: Held) => ({
  ...{ tenantId: null, kind, subject: operationId },
  detail: `${address}/${nonce}`,
});
