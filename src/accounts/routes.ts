import type { Route } from '../api/route';
import type { Services } from '../composition';

export function accountRoutes(_services: Services): Route[] {
  return [];
}
