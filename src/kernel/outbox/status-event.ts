import { newId } from '../ids';
import type { WebhookEvent } from './events';

/** A status change of a payout, another transfer or a card operation. */
export interface StatusChange {
  recordId: string;
  tenantId: string;
  accountId: string | null;
  status: string;
  previousStatus: string;
  /** Failure code. */
  failure: string | null;
  at: Date;
  idempotencyKey: string | null;
}

/** Builds `payout.status_changed` or `transfer.status_changed` (decisions part 4, Webhooks). */
export function statusEvent(
  { tenantId, failure, at, idempotencyKey, ...change }: StatusChange,
  registration: 'payout' | 'transfer',
): WebhookEvent {
  const { recordId, accountId, status, previousStatus } = change;
  return {
    tenantId,
    registration,
    event: `${registration}.status_changed`,
    data: {
      id: newId('event'),
      recordId,
      accountId,
      status,
      previousStatus,
      ...(failure === null ? {} : { failure }),
      timestamp: at.toISOString(),
    },
    at,
    idempotencyKey,
  };
}
