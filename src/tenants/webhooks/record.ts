import type { Registration } from '../../kernel/outbox/events';

/** An endpoint: a tenant registers one URL a type. */
export interface EndpointKey {
  tenantId: string;
  registration: Registration;
}

export const ENDPOINT_STATUSES = ['active', 'failing', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export interface Endpoint extends EndpointKey {
  url: string;
  status: EndpointStatus;
  /** Since then it has taken nothing, though something waited for it all the time. */
  failingSince: Date | null;
  /** Where in the schedule the next probe stands. */
  probes: number;
  nextProbeAt: Date | null;
  lastError: string | null;
  /** The number of the event that it was last probed with, and how often that has failed in this recovery. */
  probeEvent: string | null;
  probeFailures: number;
  createdAt: Date;
}

export interface Transition<Status, On> {
  from: readonly Status[];
  on: On;
  to: Status;
}

type EndpointEvent =
  | 'set'
  | 'counts_as_failing'
  | 'probe_succeeded'
  | 'nothing_waits'
  | 'gone'
  | 'took_nothing';

/** The states of an endpoint. Deleting one ends it in any state. */
export const ENDPOINT_TRANSITIONS: readonly Transition<EndpointStatus, EndpointEvent>[] = [
  { from: ['active', 'failing', 'disabled'], on: 'set', to: 'active' },
  { from: ['active'], on: 'counts_as_failing', to: 'failing' },
  { from: ['failing'], on: 'probe_succeeded', to: 'active' },
  { from: ['failing'], on: 'nothing_waits', to: 'active' },
  { from: ['active', 'failing'], on: 'gone', to: 'disabled' },
  { from: ['failing'], on: 'took_nothing', to: 'disabled' },
];

export const endpointTransition = (on: EndpointEvent) => transitionOf(ENDPOINT_TRANSITIONS, on);

/** The line of a table that an event goes by. */
export function transitionOf<Status, On>(
  table: readonly Transition<Status, On>[],
  on: On,
): Transition<Status, On> {
  const found = table.find((row) => row.on === on);
  if (!found) throw new Error(`no transition on ${String(on)}`);
  return found;
}
