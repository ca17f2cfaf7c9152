import { forgetOldChallenges } from '../src/cards/challenges/forget';
import { forgetOldSpending } from '../src/cards/events/limits/load-spending';
import { showOverdueOrders } from '../src/cards/orders/overdue';
import { releaseAllExpired } from '../src/chain/wallets/allocations/end';
import { inOrder } from '../src/kernel/db/database';
import { forgetOldKeys } from '../src/kernel/idempotency';
import { takeSnapshots } from '../src/kernel/ledger/check';
import { forgetOldPersonalFields } from '../src/kernel/personal-answers';
import { forgetOldMails } from '../src/parties/mail/sandbox/mailbox';
import { forgetOldFiles } from '../src/people/cardholders/files/forget';
import { forgetRejected } from '../src/people/cardholders/forget-rejected';
import { forgetOldCallbacks } from '../src/process/callbacks/operations';
import { forgetUnusedQuotes } from '../src/process/quotes/operations';
import type { Services } from '../src/services';
import { forgetOldEvents } from '../src/tenants/webhooks/events/operations';
import { showWaitingScreenings } from '../src/transfers/screening/overdue';

export interface HousekeepingActivities {
  takeLedgerSnapshots(): Promise<void>;
  /** @returns the number of deleted keys */
  forgetOldIdempotencyKeys(): Promise<number>;
  /** @returns the number of deleted rows, of callbacks and of their counts */
  forgetOldCallbacks(): Promise<number>;
  /** @returns the number of deleted events for webhooks */
  forgetOldEvents(): Promise<number>;
  /** @returns the number of deleted quotes */
  forgetUnusedQuotes(): Promise<number>;
  /** @returns the number of deleted rows: challenges, sandbox mails, files of cardholders, names of rejected ones */
  forgetPersonalData(): Promise<number>;
  /**
   * Ends expired allocations, and returns wallets whose cooldown is over to their pool.
   * @returns the number of changed wallets
   */
  releaseExpiredWallets(): Promise<number>;
  /** @returns the number of deleted rows, each the spending of a card or a user on one day */
  forgetOldSpending(): Promise<number>;
  /**
   * Opens a break for each card order, and for each screening, that waits too long. Closes the breaks of ended
   * ones. Screenings have no activity of their own, because a patch of the workflow would sleep for a release.
   */
  showOverdueCardOrders(): Promise<void>;
}

/** Idempotent: each activity deletes or summarizes old rows, and a second run finds none. */
export function createHousekeepingActivities(
  services: Pick<
    Services,
    'database' | 'now' | 'walletQuarantineSeconds' | 'cardOrderWaitSeconds' | 'eventsKeptDays'
  >,
): HousekeepingActivities {
  const { database, now } = services;
  return {
    // To sum the entries of an hour may take longer than the statement time-out of a request.
    takeLedgerSnapshots: () => database.transaction(takeSnapshots, { statementSeconds: 600 }),
    forgetOldIdempotencyKeys: async () => {
      await forgetOldPersonalFields(database);
      return forgetOldKeys(database);
    },
    forgetOldCallbacks: () => forgetOldCallbacks(database),
    forgetOldEvents: () => forgetOldEvents(database, services.eventsKeptDays),
    forgetUnusedQuotes: () => forgetUnusedQuotes(database),
    forgetPersonalData: async () =>
      (await forgetOldChallenges(database)) +
      (await forgetOldMails(database)) +
      (await forgetOldFiles(services)) +
      (await forgetRejected(services)),
    releaseExpiredWallets: () => releaseAllExpired(services),
    forgetOldSpending: () => forgetOldSpending(database, now()),
    showOverdueCardOrders: async () => {
      // A failure of one does not stop the other.
      await inOrder([showOverdueOrders(services), showWaitingScreenings(services)]);
    },
  };
}
