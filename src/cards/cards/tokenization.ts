import type { Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { Wallet } from '../../parties/card-processor/port';
import type { Services } from '../../services';
import { requireCard } from './operations';
import { assertActive, isClosed } from './rules';
import { lockCards } from './store';
import {
  endTokenization,
  findOpenTokenization,
  findTokenization,
  insertTokenization,
  type Tokenization,
} from './tokenization-store';
import { startTokenization } from './workflows';

/**
 * Asks for a card in a wallet; a process asks the processor. While one is under way for the card and wallet, that one is
 * given.
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
  // Under its lock, so that it is not closed at the same moment; requests for one card follow one another by it too.
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

/** `processing`: the processor has not decided. */
export type TokenizationProgress = 'processing' | 'completed' | 'failed';

/**
 * Asks the processor for the wallet's token and records what it decides. A card that was closed meanwhile gets none.
 * @throws ProcessorUnreachable, ProcessorTimeout: to be asked again with the same key
 */
export async function tokenizeAtProcessor(services: Services, id: string): Promise<TokenizationProgress> {
  const { database, parties } = services;
  const { status, cardId, wallet } = await requireTokenization(database, id);
  if (status !== 'pending') return status;
  const card = await requireCard(database, null, cardId);
  if (isClosed(card.status) || card.processorReference === null) {
    await endTokenization(database, id, { status: 'failed', failure: 'card_closed' });
    return 'failed';
  }
  const answer = await parties.cardProcessor.tokenize(`tokenize-${id}`, card.processorReference, wallet);
  if (answer.status === 'processing') return 'processing';
  const end = answer.status === 'completed' ? { status: answer.status, failure: null } : failed(answer.code);
  await endTokenization(database, id, end);
  return end.status;
}

const failed = (code: string) => ({ status: 'failed' as const, failure: code });
