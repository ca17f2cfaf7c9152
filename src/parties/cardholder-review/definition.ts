import { defineParty } from '../define';
import { createHttpCardholderReview } from './http';
import { reviewLeftOut } from './left-out';
import { cardholderReviewProtocol } from './protocol';
import { createCardholderReviewParty } from './sandbox/application';

export const cardholderReviewParty = defineParty({
  protocol: cardholderReviewProtocol,
  adapter: createHttpCardholderReview,
  sandbox: createCardholderReviewParty,
  without: reviewLeftOut,
});
