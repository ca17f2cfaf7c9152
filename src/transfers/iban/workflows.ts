import { processOf } from '../../process/workflow-command';

const credit = processOf<{ bankId: string; tenantId?: never }>({
  workflow: 'ibanCredit',
  prefix: 'iban-credit-',
  summary: 'Credit to a virtual IBAN',
  key: ({ bankId }) => [bankId],
});

/** @param bankId the bank's name for the payment: it has no record of ours yet */
export const startIbanCredit = (bankId: string) => credit.start({ bankId });
