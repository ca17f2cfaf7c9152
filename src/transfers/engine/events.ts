import { newId } from '../../kernel/ids';
import type { WebhookEvent } from '../../kernel/outbox/events';
import type { Situation } from './record';

/** `payout.status_changed`, `transfer.status_changed` (decisions part 4, Webhooks); nobody hears of what is nobody's. */
export function statusEvent(
  { transfer, at }: Situation,
  previousStatus: string,
  registration: 'payout' | 'transfer',
): WebhookEvent[] {
  const { id, tenantId, accountId, status, failure, idempotencyKey } = transfer;
  if (tenantId === null) return [];
  return [
    {
      tenantId,
      registration,
      event: `${registration}.status_changed`,
      data: {
        id: newId('event'),
        ...{ recordId: id, accountId, status, previousStatus },
        ...(failure === null ? {} : { failure }),
        timestamp: at.toISOString(),
      },
      at,
      idempotencyKey,
    },
  ];
}
