import type { Composed } from '../src/composition';
import { mailWaiting } from '../src/desk/mail/mail-waiting';
import { deskCatalogue } from '../src/desk-catalogue';

export interface DeskActivities {
  /** Mails operators what waits for them. Idempotent within an hour. @returns the number of mails */
  mailWaitingToOperators(): Promise<number>;
}

export function createDeskActivities(services: Composed): DeskActivities {
  const catalogue = deskCatalogue(services);
  return { mailWaitingToOperators: () => mailWaiting(services, catalogue) };
}
