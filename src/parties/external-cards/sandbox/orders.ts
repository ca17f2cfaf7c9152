import type { OrderBook } from '../../sandbox/orders/book';
import { orderBook } from '../../sandbox/orders/book';
import { type CardOrderReport, momentsOf, wordAt } from './progress';
import { type AskedCard, asked, type CardState, state } from './record';
import { scenarioOf } from './scenarios';

type CardReport = CardOrderReport & { actionUrl?: string };

/** The acquirer's book. The state has the page's address while the payer must act. */
export const cardBook = (publicUrl: () => string): OrderBook<AskedCard, CardState, CardReport> =>
  orderBook({
    party: 'external-cards',
    kind: 'order',
    asked,
    state,
    faultsOf: ({ token }) => scenarioOf(token),
    momentsNow: ({ token }, at) => [{ at, quiet: scenarioOf(token).sendsNoCallbacks ?? false }],
    momentsOf,
    wordAt(order, version, at) {
      const word = wordAt(order, version, at);
      return word.status === 'requires_action' ? { ...word, actionUrl: pageUrl(publicUrl, order) } : word;
    },
  });

const pageUrl = (publicUrl: () => string, { page }: { page: string | null }): string =>
  `${publicUrl()}/pages/${page}`;
