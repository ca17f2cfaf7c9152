import type { Registration } from '../../kernel/outbox/events';

/** Key of an endpoint: a tenant registers one URL per type. */
export interface EndpointKey {
  tenantId: string;
  registration: Registration;
}

export const ENDPOINT_STATUSES = ['active', 'failing', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

export interface Endpoint extends EndpointKey {
  url: string;
  /** Id of the URL in `webhook_urls`. A trigger sets it. */
  urlId: number;
  status: EndpointStatus;
  /** Time since which the endpoint has accepted nothing although events waited. */
  failingSince: Date | null;
  /** Position of the next probe in the schedule. */
  probes: number;
  nextProbeAt: Date | null;
  lastError: string | null;
  /** Number of the last probed event, and its failures in this recovery. */
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

/** States of an endpoint. An endpoint can be deleted in any state. */
export const ENDPOINT_TRANSITIONS: readonly Transition<EndpointStatus, EndpointEvent>[] = [
  { from: ['active', 'failing', 'disabled'], on: 'set', to: 'active' },
  { from: ['active'], on: 'counts_as_failing', to: 'failing' },
  { from: ['failing'], on: 'probe_succeeded', to: 'active' },
  { from: ['failing'], on: 'nothing_waits', to: 'active' },
  { from: ['active', 'failing'], on: 'gone', to: 'disabled' },
  { from: ['failing'], on: 'took_nothing', to: 'disabled' },
];

export const endpointTransition = (on: EndpointEvent) => transitionOf(ENDPOINT_TRANSITIONS, on);

/** The transition that an event causes. */
export function transitionOf<Status, On>(
  table: readonly Transition<Status, On>[],
  on: On,
): Transition<Status, On> {
  const found = table.find((row) => row.on === on);
  if (!found) throw new Error(`no transition on ${String(on)}`);
  return found;
}
