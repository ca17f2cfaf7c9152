import { leftOut } from '../left-out';
import type { CardholderReview } from './port';

/** Where no party reviews cardholders: the operator has approved each that is handed in, and that is the last word. */
export const reviewLeftOut = (): CardholderReview => ({
  submit: async () => ({ status: 'passed' }),
  outcome: async () => 'unknown_to_party',
  changes: (after) => leftOut<CardholderReview>().changes(after),
  verify: () => undefined,
});
