import type { WebhookEvent } from '../../kernel/outbox/events';
import { statusEvent as eventOf } from '../../kernel/outbox/status-event';
import type { Situation } from './record';

/** The event of a transfer's new status. A transfer without a tenant has none. */
export function statusEvent(
  { transfer, at }: Situation,
  previousStatus: string,
  registration: 'payout' | 'transfer',
): WebhookEvent[] {
  const { id: recordId, tenantId, accountId, status, failure, idempotencyKey } = transfer;
  if (tenantId === null) return [];
  const change = { recordId, tenantId, accountId, status, previousStatus, failure, at, idempotencyKey };
  return [eventOf(change, registration)];
}
