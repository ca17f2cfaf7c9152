import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { openBook } from '../../sandbox/orders/orders';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { applicationBody } from '../protocol';
import { reviewBook } from './reviews';
import { reviewScenarioOf } from './scenarios';

const APPLICATIONS = /^\/applications$/;
const APPLICATION = /^\/applications\/([^/]+)$/;

/** Three documents of ten MiB in base64, and the person. */
const LIMIT = '48mb';

/**
 * The simulated cardholder reviewer: `POST /applications` under an `idempotency-key`, `GET /applications/{key}`. Its
 * transactions commit separately from the caller's, as an outside party's would. The person's `accountPurpose` selects
 * faults (`scenarios.ts`); nothing is random. It stores no data of the person.
 */
export function createCardholderReviewParty(options: PartyOptions): Middleware {
  const reviews = openBook(reviewBook(options), options);
  return routed([
    orderRoute(APPLICATIONS, { body: applicationBody, limit: LIMIT }, ({ person, callbackUrl }, key) => {
      // Any other purpose is personal data, so it is not stored.
      const { accountPurpose: scenario = null } = reviewScenarioOf(person['accountPurpose']);
      return reviews.take({ key, callbackUrl, asked: {}, state: { scenario } });
    }),
    questionRoute(APPLICATION, (key = '') => reviews.report({ key })),
  ]);
}
