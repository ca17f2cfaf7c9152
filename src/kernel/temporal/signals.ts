/**
 * Names that Temporal and the product share. Plain data: workflows read this file too, so it imports nothing that a
 * workflow may not.
 */

/** The one signal of every process: its record has changed. It carries nothing (decisions part 2). */
export const LOOK = 'look';

/** Search attributes, each a Keyword, by which an operator finds a workflow in Temporal's UI. */
export const SEARCH_ATTRIBUTES = {
  /** The tenant whose record it is: `cli_01h…`. */
  tenant: 'Tenant',
  /** What kind of record it drives: `card`, `cardholder` … */
  recordKind: 'RecordKind',
  /** The record's status as the workflow last saw it. */
  recordStatus: 'RecordStatus',
} as const;
