import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { CARD_EFFECTS } from '../../kernel/ledger/effects';
import { pageOf, pageQuery, pageSchema, periodQuery } from '../../kernel/wire/pages';
import { requireUser } from '../../people/users/operations';
import { cardIdsOfUser } from '../events/card';
import { historyPosition, historyPositionOf, listOfCards } from '../events/history';
import { cardTransactionDetailSchema, cardTransactionSchema } from '../events/schemas';
import { showWithChain } from '../events/transactions';
import { showCardTransaction } from '../events/view';
import type { CardServices } from '../services';
import { requireCard } from './operations';

const historyQuery = z.object({
  ...pageQuery,
  ...periodQuery,
  type: z.enum(Object.keys(CARD_EFFECTS) as [string, ...string[]]).optional(),
});

export function cardTransactionRoutes({ database }: CardServices): Route[] {
  async function history(cardIds: string[], query: z.output<typeof historyQuery>) {
    const after = historyPositionOf(query.cursor, cardIds);
    const rows = await listOfCards(database, cardIds, query, after, query.limit + 1);
    return pageOf(rows, query.limit, historyPosition, showCardTransaction);
  }

  return [
    route({
      method: 'GET',
      path: '/v1/cards/{id}/transactions',
      tag: 'Cards',
      summary: 'Card transactions',
      query: historyQuery,
      response: pageSchema(cardTransactionSchema),
      async read({ params, query, caller }) {
        const card = await requireCard(database, caller.reach, params['id'] ?? '');
        return history([card.id], query);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/cards/transactions/{id}',
      tag: 'Transactions',
      summary: 'A transaction',
      description: 'With the counters of its authorization and the events of the whole chain.',
      response: cardTransactionDetailSchema,
      read: ({ params, caller }) => showWithChain(database, caller.reach, params['id'] ?? ''),
    }),
    route({
      method: 'GET',
      path: '/v1/users/{id}/card/transactions',
      tag: 'Users',
      summary: 'User card transactions',
      query: historyQuery,
      response: pageSchema(cardTransactionSchema),
      async read({ params, query, caller }) {
        const user = await requireUser(database, caller.reach, params['id'] ?? '');
        return history(await cardIdsOfUser(database, user.id), query);
      },
    }),
  ];
}
