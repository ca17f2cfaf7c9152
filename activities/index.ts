import type { Services } from '../src/composition';
import { createCardEventActivities } from './card-events';
import { createCardholderActivities } from './cardholders';
import { createCardActivities } from './cards';
import { createHousekeepingActivities } from './housekeeping';
import { createKycActivities } from './kyc';
import { createWebhookActivities } from './webhooks';

/** Every activity, by the name that workflows call it; composed once a worker. */
export function createActivities(services: Services) {
  return {
    ...createCardActivities(services),
    ...createCardholderActivities(services),
    ...createCardEventActivities(services),
    ...createHousekeepingActivities(services),
    ...createKycActivities(services),
    ...createWebhookActivities(services),
  };
}

export type Activities = ReturnType<typeof createActivities>;
