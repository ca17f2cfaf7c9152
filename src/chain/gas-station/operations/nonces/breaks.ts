import type { Sql } from '../../../../kernel/db/database';
import { closeBreaksOf, listBreaks, openBreakAgain } from '../../../../process/breaks/operations';
import type { GasOperation } from '../record';
import type { Attempt } from './record';

/** Kinds of breaks about nonces. */

const TAKEN = 'gas_nonce_taken';
const GAP = 'gas_nonce_gap';
const DISAGREE = 'gas_nodes_disagree';
const VANISHED = 'gas_operation_vanished';
const REFUSED = 'gas_transaction_refused';
const CAPPED = 'gas_cancel_capped';
const SIGNER = 'gas_signer_away';

type Held = Pick<Attempt, 'operationId' | 'address' | 'nonce'>;

/** Shows a nonce that an unknown transaction has used. */
export const showTaken = (sql: Sql, held: Held): Promise<void> => openBreakAgain(sql, breakOf(TAKEN, held));

/** Shows an operation that waits for unseen earlier transactions of its sender. */
export const showGap = (
  sql: Sql,
  { operationId, address }: Pick<Attempt, 'operationId' | 'address'>,
): Promise<void> => openBreakAgain(sql, { tenantId: null, kind: GAP, subject: operationId, detail: address });

/** Shows an operation whose nodes disagree or mostly do not answer. It waits until most agree. */
export const showDisagreement = (
  sql: Sql,
  { id, chain }: Pick<GasOperation, 'id' | 'chain'>,
): Promise<void> => openBreakAgain(sql, { tenantId: null, kind: DISAGREE, subject: id, detail: chain });

/** Shows an operation whose signature no signing process makes. */
export const showSignerAway = (sql: Sql, { id, chain }: Pick<GasOperation, 'id' | 'chain'>): Promise<void> =>
  openBreakAgain(sql, { tenantId: null, kind: SIGNER, subject: id, detail: chain });

/** Shows a signed transaction that all nodes have refused several times in a row. */
export const showRefused = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf(REFUSED, held));

/** Closes the break once a node has accepted the transaction. */
export const closeRefused = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [REFUSED], at });

/** Shows a cancellation that a cap holds back. */
export const showCapped = (sql: Sql, { id, chain }: Pick<GasOperation, 'id' | 'chain'>): Promise<void> =>
  openBreakAgain(sql, { tenantId: null, kind: CAPPED, subject: id, detail: chain });

/** Closes the break once the cancelling transaction is broadcast. */
export const closeCapped = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [CAPPED], at });

/** Closes the breaks of waiting: the transaction is signed, its sender's next, and the nodes agree. */
export const closeWaits = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [GAP, DISAGREE, SIGNER], at });

/** Shows an executed transaction that has vanished from the chain after it was final. Its booking may be wrong. */
export const showVanished = (sql: Sql, held: Held): Promise<void> =>
  openBreakAgain(sql, breakOf(VANISHED, held));

/** Page size, above the number of breaks in practice. */
const MOST = 1_000;

/** Lists operations with vanished transactions, and the nonces of these as {@link isHeld} compares them. */
export async function vanishedOperations(sql: Sql): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>();
  for (const { subject, detail } of await listBreaks(sql, { kind: VANISHED, limit: MOST }))
    held.set(subject, [...(held.get(subject) ?? []), detail]);
  return held;
}

/** Whether a break is about that nonce. */
export const isHeld = (held: Pick<Attempt, 'address' | 'nonce'>, detail: string): boolean =>
  nonceText(held) === detail;

/** Closes the break once a block has the transaction again. */
export const closeVanished = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [VANISHED], at });

/** Closes all breaks of an ended operation, because its booking settles its nonces. */
export const closeEnded = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, {
    subject: operationId,
    kinds: [TAKEN, GAP, DISAGREE, VANISHED, REFUSED, CAPPED, SIGNER],
    at,
  });

/** Closes breaks once one of the operation's own transactions is seen after all. */
export const closeTaken = (sql: Sql, operationId: string, at: Date): Promise<void> =>
  closeBreaksOf(sql, { subject: operationId, kinds: [TAKEN, GAP, DISAGREE, REFUSED], at });

const nonceText = ({ address, nonce }: Pick<Attempt, 'address' | 'nonce'>) => `${address}/${nonce}`;

const breakOf = (kind: string, held: Held) => ({
  tenantId: null,
  kind,
  subject: held.operationId,
  detail: nonceText(held),
});
