/**
 * Names that Temporal and the product share. Workflows import this file, so it must not import anything that a workflow
 * may not.
 */

/** The only signal of all workflows: the record has changed. It carries no data (decisions part 2). */
export const LOOK = 'look';

/** Keyword search attributes, by which operators find workflows in Temporal's UI. */
export const SEARCH_ATTRIBUTES = {
  /** The record's tenant: `cli_01h…`. */
  tenant: 'Tenant',
  /** The record's kind: `card`, `cardholder` … */
  recordKind: 'RecordKind',
  /** The record's status when the workflow last read it. */
  recordStatus: 'RecordStatus',
} as const;
