import type { Reference } from '../reference/reference';
import type { Services } from '../services';

/** What the domain is given. */
export interface CardholderServices extends Services {
  /** Regions, cities and occupations. */
  reference: Reference;
}
