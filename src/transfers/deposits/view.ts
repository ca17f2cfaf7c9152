import { z } from 'zod';
import { formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shownUrl } from '../../kernel/wire/web-url';
import { checkoutUrl } from './page/token';
import type { Deposit } from './record';
import { DEPOSIT_STATUSES } from './record';
import { DEPOSIT_METHODS } from './settings';

/** A deposit on the wire (`interface.md 2.3`, decisions part 4, Deposits). */
export const depositSchema = z
  .object({
    id: z.string().meta({ examples: ['dep_01jz0000000000000000000000'] }),
    accountId: z.string(),
    externalId: z.string().optional(),
    quoteId: z.string(),
    status: z.enum(DEPOSIT_STATUSES),
    method: z.enum(DEPOSIT_METHODS),
    amount: money().meta({ description: 'What was asked for, in `currency`: the payer’s.' }),
    currency: z.string(),
    chargedAmount: money().meta({
      description: 'In `currency`. Times `rate`, rounded, it is `creditedAmount` + `serviceFee`.',
    }),
    creditedAmount: money().meta({ description: 'In `creditedCurrency`, as `serviceFee`.' }),
    serviceFee: money(),
    creditedCurrency: z.string(),
    rate: z.string().meta({ examples: ['1'] }),
    refundedAmount: money().optional().meta({ description: 'In `currency`; once something was refunded.' }),
    failure: z.string().optional().meta({ description: 'Why it failed or is reviewed, as a code.' }),
    referenceId: z.string().meta({ description: 'Of its account transactions.' }),
    checkoutUrl: z.url().optional().meta({ description: 'Where the payer pays, until it ends.' }),
    returnUrl: shownUrl(),
    expiresAt: instant(),
    createdAt: instant(),
    updatedAt: instant(),
    completedAt: instant().optional(),
  })
  .meta({ id: 'Deposit' });

export type DepositView = z.infer<typeof depositSchema>;

/** Without the checkout's address, which is a secret. */
export function depositView(deposit: Deposit): DepositView {
  const inPayers = (amount: Deposit['amount']) => formatAmount(amount, deposit.currency);
  const credited = (amount: Deposit['amount']) => formatAmount(amount, deposit.accountCurrency);
  return {
    id: deposit.id,
    accountId: deposit.accountId,
    ...(deposit.externalId === null ? {} : { externalId: deposit.externalId }),
    quoteId: deposit.quoteId,
    status: deposit.status,
    method: deposit.method,
    amount: inPayers(deposit.amount),
    currency: deposit.currency,
    chargedAmount: inPayers(deposit.chargedAmount),
    creditedAmount: credited(deposit.creditedAmount),
    serviceFee: credited(deposit.serviceFee),
    creditedCurrency: deposit.accountCurrency,
    rate: deposit.rate.toFixed(),
    ...(deposit.refundedAmount.gt(0) ? { refundedAmount: inPayers(deposit.refundedAmount) } : {}),
    ...(deposit.failure === null ? {} : { failure: deposit.failure }),
    referenceId: deposit.referenceId,
    returnUrl: deposit.returnUrl,
    expiresAt: deposit.expiresAt.toISOString(),
    createdAt: deposit.createdAt.toISOString(),
    updatedAt: deposit.updatedAt.toISOString(),
    ...(deposit.completedAt ? { completedAt: deposit.completedAt.toISOString() } : {}),
  };
}

/** With the checkout's address while it can be paid. */
export function payableDepositView(deps: Parameters<typeof checkoutUrl>[0], deposit: Deposit): DepositView {
  const payable = deposit.status === 'created' || deposit.status === 'awaiting_payment';
  return { ...depositView(deposit), ...(payable ? { checkoutUrl: checkoutUrl(deps, deposit.id) } : {}) };
}
