import { leftOut } from '../left-out';
import type { CardholderReview } from './port';

/** Without a reviewing party, the operator's approval is final, so each submitted application passes. */
export const reviewLeftOut = (): CardholderReview => ({
  submit: async () => ({ status: 'passed' }),
  outcome: async () => 'unknown_to_party',
  changes: (after) => leftOut<CardholderReview>().changes(after),
  verify: () => undefined,
});
