import type { Sql } from '../../../../kernel/db/database';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../../../process/breaks/operations';
import type { GasOperation } from '../record';
import type { Attempt } from './record';

/** What a person is shown of nonces. */

const TAKEN = 'gas_nonce_taken';
const GAP = 'gas_nonce_gap';
const DISAGREE = 'gas_nodes_disagree';
const VANISHED = 'gas_operation_vanished';
const REFUSED = 'gas_transaction_refused';
const CAPPED = 'gas_cancel_capped';

type Held = Pick<Attempt, 'operationId' | 'address' | 'nonce'>;

/** A transaction that we know nothing of has used the nonce. */
export const showTaken = (sql: Sql, held: Held): Promise<void> => openBreakAgain(sql, breakOf(TAKEN, held));

/** It waits for earlier transactions of its sender, of which nothing is seen. */
export const showGap = (
  sql: Sql,
  { operationId, address }: Pick<Attempt, 'operationId' | 'address'>,
): Promise<void> => openBreakAgain(sql, { tenantId: null, kind: GAP, subject: operationId, detail: address });

/** Nodes do not tell the same of it, or too few of them answer: it goes on by the word of most only. */
export const showDisagreement = (
  sql: Sql,
  { id, chain }: Pick<GasOperation, 'id' | 'chain'>,
): Promise<void> => openBreakAgain(sql, { tenantId: null, kind: DISAGREE, subject: id, detail: chain });

/** All nodes have refused a signed transaction several times in a row. */
export const showRefused = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf(REFUSED, held));

/** A node has taken it after all. */
export const closeRefused = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [REFUSED], at });

/** A cap keeps back the transaction that would cancel an operation. */
export const showCapped = (sql: Sql, { id, chain }: Pick<GasOperation, 'id' | 'chain'>): Promise<void> =>
  openBreakAgain(sql, { tenantId: null, kind: CAPPED, subject: id, detail: chain });

/** The transaction that cancels it is handed over. */
export const closeCapped = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [CAPPED], at });

/** Nothing keeps it back: it is the sender's next, and the nodes agree. */
export const closeWaits = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [GAP, DISAGREE], at });

/** What was executed is on the chain no more, though it was in a block for good: what was booked of it may be so no more. */
export const showVanished = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf(VANISHED, held));

/** So many at a time: nobody has more. */
const MOST = 1_000;

/** The operations of which something is shown to have vanished, and which nonces that had, in words of {@link isHeld}. */
export async function vanishedOperations(sql: Sql): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>();
  for (const { subject, detail } of await listBreaks(sql, { kind: VANISHED, limit: MOST }))
    held.set(subject, [...(held.get(subject) ?? []), detail]);
  return held;
}

/** Whether a break is of that nonce. */
export const isHeld = (held: Pick<Attempt, 'address' | 'nonce'>, detail: string): boolean =>
  nonceText(held) === detail;

/** What had vanished is in a block again. */
export const closeVanished = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [VANISHED], at });

/** The operation has ended: what becomes of its nonces is told by what was booked. */
export const closeEnded = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN, GAP, DISAGREE, VANISHED, REFUSED, CAPPED], at });

/** A transaction of the operation's own is seen after all. */
export const closeTaken = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN, GAP, DISAGREE, REFUSED], at });

const nonceText = ({ address, nonce }: Pick<Attempt, 'address' | 'nonce'>) => `${address}/${nonce}`;

const breakOf = (kind: string, held: Held) => ({
  ...{ tenantId: null, kind, subject: held.operationId },
  detail: nonceText(held),
});
