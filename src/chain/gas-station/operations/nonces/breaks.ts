import type { Sql } from '../../../../kernel/db/database';
import { closeBreaksOf, openBreakAgain } from '../../../../process/breaks/operations';
import type { Attempt } from './record';

/** What a person is shown of nonces. */

const TAKEN = 'gas_nonce_taken';

type Held = Pick<Attempt, 'operationId' | 'address' | 'nonce'>;

/** A transaction that we know nothing of has used the nonce. */
export const showTaken = (sql: Sql, held: Held): Promise<void> => openBreakAgain(sql, breakOf(TAKEN, held));

/** What was executed is on the chain no more, though it was in a block for good: what was booked of it may be so no more. */
export const showVanished = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf('gas_operation_vanished', held));

/** The operation has ended, or a transaction of its own is seen after all. */
export const closeTaken = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN], at });

const breakOf = (kind: string, { operationId, address, nonce }: Held) => ({
  ...{ tenantId: null, kind, subject: operationId },
  detail: `${address}/${nonce}`,
});
