import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { cardOrderBody, closureBody, tokenizationBody } from '../protocol';
import { presentClosure, takeClosure } from './closures';
import { presentOrder, takeOrder } from './orders';
import { secretsOf } from './sealed-number';
import { findByReference } from './store';
import { presentTokenization, takeTokenization } from './tokenizations';

const CARDS = /^\/cards$/;
const CARD = /^\/cards\/([^/]+)$/;
const CLOSURE = /^\/cards\/([^/]+)\/closure$/;
const SENSITIVE = /^\/cards\/([^/]+)\/sensitive$/;
const TOKENIZATIONS = /^\/cards\/([^/]+)\/tokenizations$/;
const TOKENIZATION = /^\/cards\/([^/]+)\/tokenizations\/([^/]+)$/;

/**
 * The simulated card processor. Its paths are those of our adapter (`../http.ts`). Its transactions commit separately
 * from the caller's, as an outside party's would, so its work stays done when the caller fails. The card's label
 * selects faults (`scenarios.ts`); nothing is random.
 */
export function createCardProcessorParty(own: PartyOptions): Middleware {
  const { database, keyring, now } = own;
  return routed([
    orderRoute(CARDS, { body: cardOrderBody }, ({ bin, label, callbackUrl }, key) =>
      database.transaction((tx) => takeOrder(tx, { key, bin, label, callbackUrl }, own)),
    ),
    questionRoute(CARD, (key = '') => database.transaction((tx) => presentOrder(tx, key, own))),
    orderRoute(CLOSURE, { body: closureBody }, (order, key, reference = '') =>
      database.transaction((tx) => takeClosure(tx, { key, reference, ...order }, now)),
    ),
    questionRoute(CLOSURE, (reference = '') =>
      database.transaction((tx) => presentClosure(tx, reference, now)),
    ),
    questionRoute(SENSITIVE, async (reference = '') => {
      const card = await findByReference(database, reference);
      return card && secretsOf(card, keyring);
    }),
    orderRoute(TOKENIZATIONS, { body: tokenizationBody }, (order, key, reference = '') =>
      database.transaction((tx) => takeTokenization(tx, { key, reference, ...order, takenAt: now() })),
    ),
    questionRoute(TOKENIZATION, (reference = '', key = '') =>
      database.transaction((tx) => presentTokenization(tx, { key, reference })),
    ),
  ]);
}
