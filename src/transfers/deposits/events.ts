import type { EventDocument } from '../../kernel/outbox/event-document';
import { TOLD_STATUSES } from './record';
import { depositSchema } from './view';

const data = depositSchema
  .omit({
    quoteId: true,
    rate: true,
    failure: true,
    referenceId: true,
    returnUrl: true,
    expiresAt: true,
    updatedAt: true,
    checkoutUrl: true,
  })
  .meta({ id: 'DepositEvent', description: 'Data of the events of a deposit. `id` is that of the deposit.' });

/** `account.deposit.<status>`, one for each told status. */
export const DEPOSIT_DOCUMENTS: readonly EventDocument[] = TOLD_STATUSES.map((status) => ({
  event: `account.deposit.${status}`,
  type: 'deposit',
  description: `A deposit has become \`${status}\`. Several events of one deposit have the same \`data.id\`.`,
  data,
}));
