import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WirePayload } from '../../../src/kernel/temporal/codec';

/** The kept histories, as proto JSON. */
export const HISTORIES = join(__dirname, '../../histories');
export const fileOf = (name: string) => join(HISTORIES, `${name}.json`);

export const keptNames = () => readdirSync(HISTORIES).map((file) => file.replace(/\.json$/, ''));
export const readHistory = (name: string) => readFileSync(fileOf(name), 'utf8');

export interface HistoryEvent {
  eventType: string;
  workflowExecutionStartedEventAttributes?: { continuedExecutionRunId?: string; workflowId?: string };
}

export const eventsOf = (history: string) => (JSON.parse(history) as { events: HistoryEvent[] }).events;

/** The id of the run's workflow, which its sealed payloads belong to. Some servers do not tell it. */
export const workflowIdIn = (history: string): string | undefined =>
  eventsOf(history)[0]?.workflowExecutionStartedEventAttributes?.workflowId;

const ACTIVITY_ENDS = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELED'].map(
  (end) => `EVENT_TYPE_ACTIVITY_TASK_${end}`,
);

/** Whether a run with these events waits: its last workflow task is completed, and no activity is open. */
export function isWaiting(events: HistoryEvent[]): boolean {
  const types = events.map(({ eventType }) => eventType);
  const lastTask = types.findLast((type) => type.startsWith('EVENT_TYPE_WORKFLOW_TASK_'));
  const begun = types.filter((type) => type === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').length;
  const ended = types.filter((type) => ACTIVITY_ENDS.includes(type)).length;
  return lastTask === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED' && begun === ended;
}

/** Whether a signal came while the run waited, not with its start or during a step. */
export const hasSignalInWait = (events: HistoryEvent[]) =>
  events.some(
    ({ eventType }, place) =>
      eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED' && isWaiting(events.slice(0, place)),
  );

/** Whether the run goes on where an earlier run continued as new. */
export const isLaterRun = ([first]: HistoryEvent[]) =>
  Boolean(first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId);

export const isCompleted = (events: HistoryEvent[]) =>
  events.at(-1)?.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED';

const ENCRYPTED = Buffer.from('binary/encrypted').toString('base64');

/** The payloads of the history that are encrypted. */
export function encryptedPayloads(history: string): WirePayload[] {
  const found: WirePayload[] = [];
  JSON.parse(history, (_, held: WirePayload | null) => {
    if (held?.metadata?.['encoding'] === ENCRYPTED) found.push(held);
    return held;
  });
  return found;
}
