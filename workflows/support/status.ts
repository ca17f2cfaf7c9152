import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';

const recordStatus = defineSearchAttributeKey(SEARCH_ATTRIBUTES.recordStatus, 'KEYWORD');

/**
 * Shows the record's status in Temporal's UI, as a search attribute and with a line on what the workflow waits for.
 * @param details must hold no personal data, because every user of the UI reads it
 */
export function showStatus(status: string, details = status): void {
  upsertSearchAttributes([{ key: recordStatus, value: status }]);
  setCurrentDetails(details);
}
