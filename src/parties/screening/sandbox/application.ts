import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { screeningBody } from '../protocol';
import { screeningBook } from './screenings';

const SCREENINGS = /^\/screenings$/;
const SCREENING = /^\/screenings\/([^/]+)$/;

/**
 * The simulated screening party: `POST /screenings` under an `idempotency-key`, `GET /screenings/{key}`. The last digits
 * of the other side's address select the result (`scenarios.ts`); nothing is random.
 */
export function createScreeningParty(options: PartyOptions): Middleware {
  const screenings = openBook(screeningBook, options);
  return routed([
    orderRoute(SCREENINGS, { body: screeningBody }, ({ callbackUrl, amount, ...asked }, key) =>
      screenings.take({ key, callbackUrl, asked: { ...asked, amount: amount.toFixed() }, state: {} }),
    ),
    questionRoute(SCREENING, (key = '') => screenings.report({ key })),
  ]);
}
