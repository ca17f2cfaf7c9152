import type { AccountServices } from '../../accounts/accounts/services';
import { type Route, route } from '../../http/route';
import type { Database } from '../../kernel/db/database';
import { pageSchema } from '../../kernel/wire/pages';
import { requireUser } from '../../people/users/operations';
import { cardIdsOfUser, requireCard } from '../cards/operations';
import type { CardServices } from '../services';
import { historyPage, historyQuery, transactionWithChain } from './history';
import { allTransactionsPage, allTransactionsQuery, transactionItem } from './mixed/all-transactions';
import { mixedHistoryItem, mixedHistoryPage, mixedHistoryQuery } from './mixed/history';
import { cardTransactionDetailSchema, cardTransactionSchema } from './view';

type Services = CardServices & Pick<AccountServices, 'linksOf'>;

export function cardTransactionRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    allTransactionsRoute(services),
    route({
      method: 'GET',
      path: '/v1/cards/{id}/transactions',
      tag: 'Cards',
      summary: 'Card transactions',
      description: "Lists the card's events, newest first. Each has the card's balances after it.",
      query: historyQuery,
      response: pageSchema(cardTransactionSchema),
      async read({ params, query, caller }) {
        const card = await requireCard(database, caller.reach, params['id'] ?? '');
        return historyPage(database, [card.id], query);
      },
    }),
    mixedHistoryRoute(database),
    route({
      method: 'GET',
      path: '/v1/cards/transactions/{id}',
      tag: 'Transactions',
      summary: 'A transaction',
      description:
        'Returns the transaction with the counters of its authorization and all events of the authorization.',
      response: cardTransactionDetailSchema,
      read: ({ params, caller }) => transactionWithChain(database, caller.reach, params['id'] ?? ''),
    }),
    route({
      method: 'GET',
      path: '/v1/users/{id}/card/transactions',
      tag: 'Users',
      summary: 'User card transactions',
      description: 'Lists the events of all cards of the user, newest first.',
      query: historyQuery,
      response: pageSchema(cardTransactionSchema),
      async read({ params, query, caller }) {
        const user = await requireUser(database, caller.reach, params['id'] ?? '');
        return historyPage(database, await cardIdsOfUser(database, user.id), query);
      },
    }),
  ];
}

function allTransactionsRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/transactions',
    tag: 'Transactions',
    summary: 'All transactions',
    description:
      'Lists your card transactions and account transactions over all cards, accounts and your virtual IBAN, newest first. The ' +
      'items are those of the mixed histories. An item may appear a moment after newer ones of other cards and accounts; ' +
      'the history of one card or account has no such gap.',
    query: allTransactionsQuery,
    response: pageSchema(transactionItem),
    read: ({ query, caller }) => allTransactionsPage(services, caller.tenantId, query),
  });
}

function mixedHistoryRoute(database: Database): Route {
  return route({
    method: 'GET',
    path: '/v2/cards/{id}/transactions',
    tag: 'Cards',
    summary: 'History of a card',
    description:
      'Lists, newest first, the card transactions and the status changes of the card’s operations. Directly after each card ' +
      'transaction in time come the account transactions that were booked with it: fees, funding, returns to the account. The ' +
      'transactions share a `referenceId`. Items written while you page come before the first page, and no page misses any.',
    query: mixedHistoryQuery,
    response: pageSchema(mixedHistoryItem),
    async read({ params, query, caller }) {
      const card = await requireCard(database, caller.reach, params['id'] ?? '');
      return mixedHistoryPage(database, card.id, query);
    },
  });
}
