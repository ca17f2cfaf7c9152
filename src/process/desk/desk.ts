import type { Decision } from './decision';
import type { Figure } from './figure';
import type { Finder } from './finder';
import type { List } from './list';
import type { RecordOfDesk } from './record';

/** Everything that operators look at and decide in one domain. `src/desk` assembles the desks of all domains. */
export interface Desk {
  /** Noun of the domain, and its group of commands: `payout`. */
  name: string;
  title: string;
  /** The first list is the one that `<name> list` shows. */
  lists?: readonly List[];
  records?: readonly RecordOfDesk[];
  decisions?: readonly Decision[];
  figures?: readonly Figure[];
  /** How its records are found by a text. */
  finds?: readonly Finder[];
}

/**
 * Declares a domain's desk. A domain exports a function that receives its services and returns the desk.
 *
 * @example
 * export const payoutDesk = (services: PayoutDeskServices) =>
 *   defineDesk({ name: 'payout', title: 'Payouts', lists: [...], records: [...], decisions: [...], figures: [...] });
 */
export const defineDesk = (desk: Desk): Desk => desk;
