/** Addresses at which operators read records. Workflows import this file, so it must not import what a workflow may not. */

/** Name of the memo field with the address of a workflow's record. The memo is set at the start and stays. */
export const RECORD_MEMO = 'record';

const RECORD = /(?:^|-)([a-z]+_[0-9a-z]{26})(?:-|$)/;

/** The id of the record in a workflow's id: `card-issuance-card_01h…` drives `card_01h…`. */
export const recordIdIn = (workflowId: string): string | undefined => RECORD.exec(workflowId)?.[1];

/**
 * The record's page at the desk, or the command that prints the record.
 * @param deskUrl address of the desk (`DESK_URL`), without a trailing slash
 * @returns undefined for a text without an id of a record
 */
export function recordAddress(text: string, deskUrl?: string): string | undefined {
  const id = recordIdIn(text);
  if (id === undefined) return undefined;
  return deskUrl === undefined ? `npm run operator -- show ${id}` : `${deskUrl}/records/${id}`;
}
