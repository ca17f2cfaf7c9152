import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { cardOrderBody, closureBody, tokenizationBody } from '../protocol';
import { CLOSURES, closureId, TOKENIZATIONS } from './card-orders';
import { cardBook } from './orders';
import { secretsOf, UNMADE } from './sealed-number';

const CARDS = /^\/cards$/;
const CARD = /^\/cards\/([^/]+)$/;
const CLOSURE = /^\/cards\/([^/]+)\/closure$/;
const SENSITIVE = /^\/cards\/([^/]+)\/sensitive$/;
const TOKENIZATIONS_OF = /^\/cards\/([^/]+)\/tokenizations$/;
const TOKENIZATION = /^\/cards\/([^/]+)\/tokenizations\/([^/]+)$/;

/**
 * The simulated card processor. Its paths are those of our adapter (`../http.ts`). Its transactions commit separately
 * from the caller's, as an outside party's would, so its work stays done when the caller fails. The card's label
 * selects faults (`scenarios.ts`); nothing is random.
 */
export function createCardProcessorParty(options: PartyOptions): Middleware {
  const cards = openBook(cardBook(options), options);
  const closures = openBook(CLOSURES, options);
  const tokenizations = openBook(TOKENIZATIONS, options);
  const made = async (reference: string) => (await cards.read({ id: reference }))?.kept;

  return routed([
    orderRoute(CARDS, { body: cardOrderBody }, ({ bin, label, callbackUrl }, key) =>
      cards.take({ key, callbackUrl, asked: { bin, label }, state: UNMADE }),
    ),
    questionRoute(CARD, (key = '') => cards.report({ key })),
    orderRoute(CLOSURE, { body: closureBody }, async ({ callbackUrl }, key, reference = '') => {
      const card = await made(reference);
      if (!card) return undefined;
      const asked = { reference, label: card.label };
      return closures.take({ key, callbackUrl, asked, state: {}, id: closureId(reference) });
    }),
    questionRoute(CLOSURE, (reference = '') => closures.report({ id: closureId(reference) })),
    questionRoute(SENSITIVE, async (reference = '') => {
      const card = await made(reference);
      return card && secretsOf(card, options.keyring);
    }),
    orderRoute(TOKENIZATIONS_OF, { body: tokenizationBody }, async (order, key, reference = '') => {
      const card = await made(reference);
      if (!card) return undefined;
      const { wallet, callbackUrl } = order;
      return tokenizations.take({
        key,
        callbackUrl,
        asked: { reference, label: card.label, wallet },
        state: {},
      });
    }),
    questionRoute(TOKENIZATION, async (reference = '', key = '') => {
      const known = await tokenizations.read({ key });
      return known?.kept.reference === reference ? known.word : undefined;
    }),
  ]);
}
