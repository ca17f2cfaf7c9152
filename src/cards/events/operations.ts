import type { Tx } from '../../kernel/db/database';
import { writeTogether } from '../../kernel/db/writes';
import { tellWhenCommitted } from '../../kernel/outbox/events';
import { boardWrites, type EngineDeps, loadBoard } from './board-store';
import type { Message } from './record';
import { type Decision, decide } from './rules/judge';

/**
 * Records one event of a card in the caller's transaction: locks the card and its accounts, decides, posts, appends the
 * webhook events.
 * @returns the card, and the event unless it was in effect already
 * @throws Problem 404 for a card out of reach, 409 as the rules say; nothing has been written then
 */
export async function recordCardEvent(tx: Tx, deps: EngineDeps, message: Message): Promise<Decision> {
  const board = await loadBoard(tx, deps, [message]);
  const decision = decide(board, message);
  tellWhenCommitted(tx);
  tx.defer(writeTogether(tx, boardWrites(board)));
  return decision;
}
