import { audit } from '../../kernel/audit/audit';
import type { Call } from '../../kernel/caller';
import type { Tx } from '../../kernel/db/database';
import type { Card } from './record';
import { findCard, lockCards } from './store';

/** The state of a card as the audit log records it. */
const stateOf = (card: Card | undefined) =>
  card && { status: card.status, freezeReasons: card.freezeReasons };

/**
 * Runs an operation on a card and records an admin's call in the audit log. The entry has the card's state before and
 * after; the state before is read under the lock that the operation takes.
 */
export async function audited<T>(
  tx: Tx,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  action: string,
  cardId: string,
  work: () => Promise<T>,
): Promise<T> {
  if (caller.role !== 'admin') return work();
  const before = (await lockCards(tx, [cardId])).get(cardId);
  const result = await work();
  const after = await findCard(tx, null, cardId);
  const tenantId = after?.tenantId ?? null;
  const states = { before: stateOf(before), after: stateOf(after) };
  await audit(tx, { caller, requestId, action, subject: cardId, tenantId, ...states });
  return result;
}
