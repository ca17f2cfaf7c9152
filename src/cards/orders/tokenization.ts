import type { Sql } from '../../kernel/db/database';
import type { TokenizationWord } from '../../parties/card-processor/word';
import { advanceOrder } from '../../parties/orders/advance';
import type { OrderKind } from '../../parties/orders/kind';
import type { Services } from '../../services';
import { endTokenization, findTokenization, requireCard, requireLockedCard } from '../cards/operations';
import type { Card, Tokenization } from '../cards/record';
import { isClosed } from '../cards/rules';
import { tokenization } from '../cards/workflows';
import { CONTRADICTED, describeContradiction, PROCESSOR, referenceOf } from './processor';

interface Tokenizing extends Tokenization {
  card: Card;
}

/** The order that adds a card to a wallet. A card that was closed meanwhile fails it without asking the processor. */
export const tokenizationOrder: OrderKind<Services, Tokenizing, TokenizationWord> = {
  ...PROCESSOR,
  process: tokenization,
  keys: /^tokenize-(tkn_\w+)$/,
  keyOf: ({ id }) => `tokenize-${id}`,
  find: (sql, id) => withCard(sql, id, (cardId) => requireCard(sql, null, cardId)),
  lock: (tx, id) => withCard(tx, id, (cardId) => requireLockedCard(tx, cardId)),
  isOpen: ({ status }) => status === 'pending',
  status: ({ status }) => status,
  async ask({ parties }, { status, card }, key) {
    const { processorReference: reference } = card;
    if (status === 'pending' && (isClosed(card.status) || reference === null))
      return { status: 'failed', failureCode: 'card_closed' };
    return parties.cardProcessor.tokenization({ key, reference: reference ?? '' });
  },
  prepare({ parties }, { card, wallet }, order) {
    const reference = referenceOf(card);
    return () => parties.cardProcessor.tokenize({ ...order, reference, wallet });
  },
  refused: (failureCode) => ({ status: 'failed', failureCode }),
  conclude: (_, tx, { id }, { status, failureCode = 'wallet_refused' }) =>
    status === 'completed'
      ? endTokenization(tx, id, { status, failure: null })
      : endTokenization(tx, id, { status: 'failed', failure: failureCode }),
  afterEnd: {
    contradicted: CONTRADICTED,
    subject: ({ cardId }) => cardId,
    contradiction: ({ status }, word) =>
      status === word.status ? undefined : describeContradiction(status, word.status),
  },
};

export const tokenizeAtProcessor = (services: Services, id: string) =>
  advanceOrder(services, tokenizationOrder, id);

/**
 * Reads the tokenization again after its card, because `cardOf` may lock the card and the lock keeps the tokenization
 * from ending.
 */
async function withCard(
  sql: Sql,
  id: string,
  cardOf: (cardId: string) => Promise<Card>,
): Promise<Tokenizing | undefined> {
  const named = await findTokenization(sql, id);
  if (!named) return undefined;
  const card = await cardOf(named.cardId);
  const current = await findTokenization(sql, id);
  return current && { ...current, card };
}
