import type { Caller } from '../../kernel/caller';
import type { Sql, Tx } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import type { TokenizationOrder, Wallet } from '../../parties/card-processor/port';
import type { TokenizationWord } from '../../parties/card-processor/word';
import { type HeardOrder, heardOrder } from '../../parties/orders/told-orders';
import { PartyRefused } from '../../process/party-errors';
import { assertOrders } from '../../process/switches/switches';
import type { Services } from '../../services';
import { requireCard, requireLockedCard } from './operations';
import { PROCESSOR_CALLBACKS, tokenizationKey, tokenizationOrder } from './processor-orders';
import { againstTokenization, noteWord } from './processor-words';
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
 * Asks the processor for the wallet's token and records what it decides. A card that was closed meanwhile gets none. Of one that has
 * ended it is only asked: where it says otherwise, a person is shown.
 * @throws PartyAway to be asked again
 */
export async function tokenizeAtProcessor(services: Services, id: string): Promise<TokenizationProgress> {
  const { database } = services;
  const { status, cardId, wallet } = await requireTokenization(database, id);
  const { processorReference: reference, ...card } = await requireCard(database, null, cardId);
  const isPending = status === 'pending';
  if (isPending && (isClosed(card.status) || reference === null)) {
    await endTokenization(database, id, { status: 'failed', failure: 'card_closed' });
    return 'failed';
  }
  const order = { key: tokenizationKey(id), reference: reference ?? '', wallet };
  const before = await heardOrder(database, 'cardProcessor', order.key);
  const word = isPending
    ? await wordOn(services, order)
    : await services.parties.cardProcessor.tokenization(order);
  return recordTokenization(services, id, word, before);
}

/** Idempotent: one that is no longer pending is left as it is. */
function recordTokenization(
  services: Services,
  id: string,
  word: TokenizationWord | 'unknown_to_party',
  before: HeardOrder,
): Promise<TokenizationProgress> {
  return services.database.transaction(async (tx) => {
    const { cardId } = await requireTokenization(tx, id);
    await requireLockedCard(tx, cardId);
    if (word !== 'unknown_to_party' && word.status !== 'processing') {
      const { status, failureCode = 'wallet_refused' } = word;
      await endTokenization(tx, id, { status, failure: status === 'failed' ? failureCode : null });
    }
    const tokenization = await requireTokenization(tx, id);
    await noteWord(tx, {
      ...{ order: tokenizationOrder(tokenization), cardId, word, before, at: services.now() },
      contradiction: againstTokenization(tokenization, word),
      hasEnded: tokenization.status !== 'pending',
    });
    return tokenization.status === 'pending' ? 'processing' : tokenization.status;
  });
}

/** What the processor has heard of is not asked for again: it may remember a key for a day only. */
async function wordOn(
  services: Services,
  order: Omit<TokenizationOrder, 'callbackUrl'>,
): Promise<TokenizationWord> {
  const { cardProcessor } = services.parties;
  const known = await cardProcessor.tokenization(order);
  if (known !== 'unknown_to_party') return known;
  await assertOrders(services, 'cardProcessor');
  try {
    return await cardProcessor.tokenize({
      ...order,
      callbackUrl: services.publicUrl() + PROCESSOR_CALLBACKS,
    });
  } catch (error) {
    if (error instanceof PartyRefused) return { status: 'failed', failureCode: error.code };
    throw error;
  }
}
