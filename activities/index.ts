import type { Services } from '../src/composition';
import { createHousekeepingActivities } from './housekeeping';

/** Every activity, by the name that workflows call it; composed once a worker. */
export function createActivities(services: Services) {
  return {
    ...createHousekeepingActivities(services),
  };
}

export type Activities = ReturnType<typeof createActivities>;
