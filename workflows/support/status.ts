import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { RECORD_MEMO, recordAddress } from '../../src/kernel/temporal/record-address';
import { SEARCH_ATTRIBUTES } from '../../src/kernel/temporal/signals';

const recordStatus = defineSearchAttributeKey(SEARCH_ATTRIBUTES.recordStatus, 'KEYWORD');

export interface More {
  /** When the record got its status, in milliseconds since 1970. Default: when this run first saw the status. */
  since?: number | undefined;
  /** When the workflow looks again without a signal, in milliseconds since 1970. */
  next?: number | null | undefined;
}

/** The record's state in Temporal's UI. Ids, states, amounts and codes only, because every user of the UI reads it. */
export interface Showing {
  /** Shows the status as a search attribute and in the current details. Adds an event to the history. */
  status(status: string, line?: string, more?: More): void;
  /** Changes the current details alone. Adds no event. */
  details(status: string, line?: string, more?: More): void;
}

/**
 * Shows the state of a workflow's record. Current details are answers to a query, so they stay after the workflow's
 * end for as long as Temporal keeps its history and a worker runs.
 * @param id of the record
 */
export function showing(id: string): Showing {
  const told = workflowInfo().memo?.[RECORD_MEMO];
  const address = typeof told === 'string' ? told : recordAddress(id);
  let shown: string | undefined;
  let seen = 0;
  function details(status: string, line?: string, { since, next }: More = {}): void {
    if (status !== shown) seen = Date.now();
    shown = status;
    showLines([
      `**${status}** since ${timeOf(since ?? seen)}`,
      line,
      next == null ? undefined : `Looks again at ${timeOf(next)}, or after a signal.`,
      address === undefined
        ? undefined
        : `Record: ${address.startsWith('http') ? address : `\`${address}\``}`,
    ]);
  }
  return {
    details,
    status(status, line, more) {
      upsertSearchAttributes([{ key: recordStatus, value: status }]);
      details(status, line, more);
    },
  };
}

/** Shows the last turn of a workflow without a record. Adds no event. */
export const showTurn = (line: string): void => showLines([line, `Last turn: ${timeOf(Date.now())}`]);

/** The UI reads the lines as Markdown. */
const showLines = (lines: (string | undefined)[]): void =>
  setCurrentDetails(lines.filter((line) => line !== undefined).join('\n\n'));

const timeOf = (ms: number): string => new Date(ms).toISOString();
