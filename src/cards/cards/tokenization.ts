import type { Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Wallet } from '../../parties/card-processor/port';
import type { Services } from '../../services';
import { requireCard } from './operations';
import type { Tokenization } from './record';
import { assertActive } from './rules';
import { lockCards } from './store';
import { findOpenTokenization, findTokenization, insertTokenization } from './tokenization-store';
import { startTokenization } from './workflows';

/**
 * Starts a workflow that asks the processor to add the card to a wallet. Returns the tokenization under way for the
 * same card and wallet, when there is one.
 * @throws Problem 404, 409 `card_not_active` (pending, failed or frozen), `card_closed`
 */
export async function requestTokenization(
  services: Services,
  tx: Tx,
  caller: Pick<Caller, 'reach'>,
  cardId: string,
  wallet: Wallet,
): Promise<Tokenization> {
  const { id } = await requireCard(tx, caller.reach, cardId);
  // The lock keeps the card from being closed meanwhile and orders concurrent requests for the card.
  const card = (await lockCards(tx, [id])).get(id);
  if (!card) throw notFound('card');
  assertActive(card);
  const open = await findOpenTokenization(tx, id, wallet);
  if (open) return open;
  const { tenantId } = card;
  const tokenization = await insertTokenization(tx, { id: newId('tokenization'), tenantId, cardId, wallet });
  services.commands.append(tx, [startTokenization(tokenization)]);
  return tokenization;
}

/** @throws Problem 404 */
export async function requireTokenization(sql: Sql, id: string): Promise<Tokenization> {
  const tokenization = await findTokenization(sql, id);
  if (!tokenization) throw notFound('tokenization');
  return tokenization;
}
