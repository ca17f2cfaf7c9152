import type { Services } from '../services';
import type { Gatherer } from './events/gather';
import type { Programmes } from './programmes/cache';

/** What the domains of cards are given. */
export interface CardServices extends Services {
  programmes: Programmes;
  /** One a process: what the card processor says, and the sandbox in its place, is judged here. */
  gatherer: Gatherer;
}
