import { z } from 'zod';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shownUrl } from '../../kernel/wire/web-url';
import type { Services } from '../../services';
import { amountsOf, type ClientDeposit, refundedBase } from './money';
import { checkoutLinks } from './page/token';
import { DEPOSIT_STATUSES, type DepositDetails, type DepositStatus } from './record';
import { DEPOSIT_METHODS } from './settings';

/** A deposit in the API (`interface.md 2.3`, decisions part 4, Deposits). */
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
      description:
        'In `chargedCurrency`: the quote’s until the payment has settled, then what the payer has paid. In `manual_review` it is ' +
        'what was paid so far; of `failed`, `cancelled` and `expired` it is what was kept of the payer, most often nothing.',
    }),
    chargedCurrency: z.string().meta({
      description: '`currency`, unless a deposit under review was paid in another one.',
    }),
    creditedAmount: money().meta({
      description:
        'In `creditedCurrency`, as `serviceFee`: the quote’s until the payment has settled, then what was credited. `0.00` in ' +
        '`manual_review`, `failed`, `cancelled` and `expired`. Once credited, `chargedAmount` × `rate`, rounded, is ' +
        '`creditedAmount` + `serviceFee`; a refund or chargeback changes none of them.',
    }),
    serviceFee: money(),
    creditedCurrency: z.string(),
    quoted: z
      .object({ charged: money(), credited: money(), fee: money() })
      .meta({ description: 'What was quoted, in `currency` and `creditedCurrency`, whatever has moved.' }),
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

/** A deposit with the fields beside its transfer. */
export interface ShownDeposit {
  deposit: ClientDeposit;
  details: DepositDetails;
}

/** Quoted and actual amounts, for views and events. */
export function shownPrice(deposit: ClientDeposit) {
  const { terms } = deposit.transfer;
  const { chargedAmount, chargedCurrency, creditedAmount, serviceFee } = amountsOf(deposit);
  const refunded = refundedBase(deposit);
  const inPayers = (amount: Decimal) => formatAmount(amount, terms.currency);
  const credited = (amount: Decimal) => formatAmount(amount, terms.accountCurrency);
  return {
    ...(terms.externalId === null ? {} : { externalId: terms.externalId }),
    method: terms.method,
    amount: inPayers(terms.chargedAmount),
    currency: terms.currency,
    chargedAmount: formatAmount(chargedAmount, chargedCurrency),
    chargedCurrency,
    creditedAmount: credited(creditedAmount),
    creditedCurrency: terms.accountCurrency,
    serviceFee: credited(serviceFee),
    quoted: {
      charged: inPayers(terms.chargedAmount),
      credited: credited(terms.creditedAmount),
      fee: credited(terms.serviceFee),
    },
    ...(refunded.gt(0) ? { refundedAmount: inPayers(refunded) } : {}),
  };
}

/** A deposit without the checkout URL, which is a secret. */
export function depositView({ deposit, details }: ShownDeposit): DepositView {
  const { transfer } = deposit;
  const { terms, reached } = transfer;
  return {
    id: transfer.id,
    accountId: transfer.accountId ?? '',
    quoteId: details.quoteId,
    status: transfer.status as DepositStatus,
    ...shownPrice(deposit),
    rate: terms.rate.toFixed(),
    ...(transfer.failure === null ? {} : { failure: transfer.failure }),
    referenceId: transfer.referenceId,
    returnUrl: details.returnUrl,
    expiresAt: terms.expiresAt.toISOString(),
    createdAt: transfer.createdAt.toISOString(),
    updatedAt: transfer.updatedAt.toISOString(),
    ...(reached['completed'] === undefined ? {} : { completedAt: reached['completed'] }),
  };
}

/** A deposit with the checkout URL while it can be paid. */
export function payableDepositView(
  deps: Pick<Services, 'keyring' | 'publicUrl'>,
  shown: ShownDeposit,
): DepositView {
  const { status, id } = shown.deposit.transfer;
  const payable = status === 'created' || status === 'awaiting_payment';
  return { ...depositView(shown), ...(payable ? { checkoutUrl: checkoutLinks.url(deps, id) } : {}) };
}
