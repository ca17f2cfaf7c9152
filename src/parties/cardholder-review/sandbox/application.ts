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
 * The simulated cardholder reviewer: `POST /applications` under an `idempotency-key`, `GET /applications/{key}`. Its
 * transactions commit separately from the caller's, as an outside party's would. The person's `accountPurpose` selects
 * faults (`scenarios.ts`); nothing is random. It stores no data of the person.
 */
export function createCardholderReviewParty(own: PartyOptions): Middleware {
  const { database } = own;
  return routed([
    orderRoute(APPLICATIONS, { body: applicationBody, limit: LIMIT }, ({ person, callbackUrl }, key) => {
      // Any other purpose is personal data, so it is not stored.
      const { accountPurpose: scenario = null } = reviewScenarioOf(person['accountPurpose']);
      return database.transaction((tx) => takeApplication(tx, { key, scenario, callbackUrl }, own));
    }),
    questionRoute(APPLICATION, (key = '') => database.transaction((tx) => presentReview(tx, key, own))),
  ]);
}
