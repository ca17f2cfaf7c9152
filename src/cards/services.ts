import type { Services } from '../services';
import type { Programmes } from './programmes/cache';

/** What the domains of cards are given. */
export interface CardServices extends Services {
  programmes: Programmes;
}
