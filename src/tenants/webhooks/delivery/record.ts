import { type Transition, transitionOf } from '../record';

export type DeliveryStatus = 'recorded' | 'due' | 'delivered' | 'failed' | 'parked';

type DeliveryEvent =
  | 'attempt_succeeded'
  | 'schedule_used_up'
  | 'endpoint_ended'
  | 'endpoint_set'
  | 'resent'
  | 'resent_alone';

/**
 * States of a delivery. An attempt that was under way when its endpoint was deleted may still succeed. A delivered
 * event is sent again only when the tenant asks for this one event.
 */
export const DELIVERY_TRANSITIONS: readonly Transition<DeliveryStatus, DeliveryEvent>[] = [
  { from: ['due', 'parked', 'failed'], on: 'attempt_succeeded', to: 'delivered' },
  { from: ['due'], on: 'schedule_used_up', to: 'failed' },
  { from: ['due'], on: 'endpoint_ended', to: 'parked' },
  { from: ['parked'], on: 'endpoint_set', to: 'due' },
  { from: ['recorded', 'failed', 'parked', 'due'], on: 'resent', to: 'due' },
  { from: ['recorded', 'failed', 'parked', 'due', 'delivered'], on: 'resent_alone', to: 'due' },
];

export const deliveryTransition = (on: DeliveryEvent) => transitionOf(DELIVERY_TRANSITIONS, on);
