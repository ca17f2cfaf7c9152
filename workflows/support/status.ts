import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';

const recordStatus = defineSearchAttributeKey(SEARCH_ATTRIBUTES.recordStatus, 'KEYWORD');

/**
 * Shows the record's status to the operator: as a search attribute, and with a line on what the workflow waits for.
 * @param details no personal data: Temporal's UI shows it
 */
export function showStatus(status: string, details = status): void {
  upsertSearchAttributes([{ key: recordStatus, value: status }]);
  setCurrentDetails(details);
}
