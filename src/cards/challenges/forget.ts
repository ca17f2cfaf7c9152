import type { Database } from '../../kernel/db/database';
import { inPortions } from '../../kernel/db/portions';
import { deleteOldChallenges } from './store';

/**
 * Deletes challenges 400 days after they began. A cardholder may dispute a payment for thirteen months, and until then
 * the challenge proves that it was authenticated.
 * @returns the number of deleted challenges
 */
export const forgetOldChallenges = (database: Database): Promise<number> =>
  inPortions(database, deleteOldChallenges);
