import type { Middleware } from 'koa';
import type { PartyOptions } from '../../sandbox/options';
import { orderRoute, questionRoute, routed } from '../../sandbox/routing';
import { applicationBody } from '../protocol';
import { presentReview, takeApplication } from './reviews';
import { reviewScenarioOf } from './scenarios';

const APPLICATIONS = /^\/applications$/;
const APPLICATION = /^\/applications\/([^/]+)$/;

/** Three documents of ten MiB in base64, and the person. */
const LIMIT = '48mb';

/**
 * A reviewer of cardholders who looks at nobody: `POST /applications` under an `idempotency-key`, `GET /applications/{key}`. It
 * commits by itself, as an outside party would: what it took stays taken although its caller may fail afterwards. Faults come
 * from the person's `accountPurpose` (scenarios.ts), never by chance. Of the person it keeps nothing.
 */
export function createCardholderReviewParty(own: PartyOptions): Middleware {
  const { database } = own;
  return routed([
    orderRoute(APPLICATIONS, { body: applicationBody, limit: LIMIT }, ({ person, callbackUrl }, key) => {
      // Any other purpose is the person's own, and is not kept.
      const { accountPurpose: scenario = null } = reviewScenarioOf(person['accountPurpose']);
      return database.transaction((tx) => takeApplication(tx, { key, scenario, callbackUrl }, own));
    }),
    questionRoute(APPLICATION, (key = '') => database.transaction((tx) => presentReview(tx, key, own))),
  ]);
}
