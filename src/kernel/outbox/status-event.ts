import { z } from 'zod';
import { newId } from '../ids';
import { instant } from '../wire/schemas';
import type { EventDocument } from './event-document';
import type { WebhookEvent } from './events';

const statusData = (statuses: readonly string[]) =>
  z.object({
    id: z.string().meta({ description: 'Id of the event.' }),
    recordId: z.string().meta({ description: 'Id of the payout, transfer or card operation.' }),
    accountId: z.string().nullable(),
    status: z
      .string()
      .meta({ enum: statuses, description: 'The status of the record.', examples: ['completed'] }),
    previousStatus: z.string().meta({ enum: statuses, examples: ['processing'] }),
    failure: z.string().optional().meta({ description: 'Code of the reason for a failure.' }),
    timestamp: instant().describe('Time of the change.'),
  });

/**
 * The documents of both events.
 * @param statuses the statuses that each event tells, of all its kinds of records
 */
export const statusDocuments = (
  statuses: Record<'payout' | 'transfer', readonly string[]>,
): EventDocument[] => [
  {
    event: 'payout.status_changed',
    type: 'payout',
    description: 'The status of a payout has changed, of an account or of a virtual IBAN.',
    data: statusData(statuses.payout).meta({
      id: 'PayoutStatusEvent',
      description: 'Data of a `payout.status_changed`.',
    }),
  },
  {
    event: 'transfer.status_changed',
    type: 'transfer',
    description:
      'The status of another transfer has changed. Others are top-ups and withdrawals by an external card, exchange orders and ' +
      'withdrawals, deposits on a chain, and operations of a card.',
    data: statusData(statuses.transfer).meta({
      id: 'TransferStatusEvent',
      description: 'Data of a `transfer.status_changed`.',
    }),
  },
];

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
