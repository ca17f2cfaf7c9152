import { z } from 'zod';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { shownUrl } from '../../kernel/wire/web-url';
import type { Services } from '../../services';
import { amountsOf, type ClientDeposit, refundedBase } from './money';
import { checkoutLinks } from './page/token';
import { DEPOSIT_FAILURES, DEPOSIT_STATUSES, type DepositDetails, type DepositStatus } from './record';
import { DEPOSIT_METHODS } from './settings';

/** A deposit in the API (`interface.md 2.3`, decisions part 4, Deposits). */
export const depositSchema = z
  .object({
    id: z.string().meta({ examples: ['dep_01jz0000000000000000000000'] }),
    accountId: z.string(),
    quoteId: z.string(),
    status: z.enum(DEPOSIT_STATUSES),
    externalId: z.string().optional(),
    method: z.enum(DEPOSIT_METHODS),
    amount: money().meta({ description: 'The requested amount, in `currency`, the payer’s currency.' }),
    currency: z.string(),
    chargedAmount: money().meta({
      description:
        'In `chargedCurrency`. The quoted charge until the payment has settled, then the amount that the payer has paid. In ' +
        '`manual_review`: the amount paid so far. In `failed`, `cancelled` and `expired`: the amount that did not go back to ' +
        'the payer, usually zero.',
    }),
    chargedCurrency: z.string().meta({
      description: '`currency`, unless a deposit under review was paid in another one.',
    }),
    creditedAmount: money().meta({
      description:
        'In `creditedCurrency`, like `serviceFee`. The quoted credit until the payment has settled, then the posted credit. ' +
        '`0.00` in `manual_review`, `failed`, `cancelled` and `expired`. Once credited, `chargedAmount` × `rate`, rounded, is ' +
        '`creditedAmount` + `serviceFee`. Refunds and chargebacks do not change these amounts.',
    }),
    creditedCurrency: z.string(),
    serviceFee: money(),
    quoted: z.object({ charged: money(), credited: money(), fee: money() }).meta({
      description: 'The quoted amounts, in `currency` and `creditedCurrency`. Quoted amounts never change.',
    }),
    refundedAmount: money()
      .optional()
      .meta({ description: 'In `currency`. Present once a refund was paid.' }),
    rate: z.string().meta({ examples: ['1'] }),
    failure: z
      .string()
      .optional()
      .meta({ enum: DEPOSIT_FAILURES, description: 'Code of the reason for a failure or a review.' }),
    referenceId: z.string().meta({ description: 'Reference of the account transactions.' }),
    returnUrl: shownUrl(),
    expiresAt: instant(),
    createdAt: instant(),
    updatedAt: instant(),
    completedAt: instant().optional(),
    checkoutUrl: z
      .url()
      .optional()
      .meta({ description: 'Payment page for the payer, until the deposit ends.' }),
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

/** Shows a deposit. The checkout URL is a secret, which operators are not shown. */
export function depositView({ deposit, details }: ShownDeposit, checkoutUrl?: string): DepositView {
  const { transfer } = deposit;
  const { accountId, status, terms, reached } = transfer;
  const record = { ...details, ...transfer, ...shownPrice(deposit) };
  return shown(depositSchema, record, {
    accountId: accountId ?? '',
    status: status as DepositStatus,
    rate: terms.rate.toFixed(),
    expiresAt: terms.expiresAt,
    completedAt: reached['completed'],
    checkoutUrl,
  });
}

/** A deposit with the checkout URL while it can be paid. */
export function payableDepositView(
  deps: Pick<Services, 'keyring' | 'publicUrl'>,
  given: ShownDeposit,
): DepositView {
  const { status, id } = given.deposit.transfer;
  const payable = status === 'created' || status === 'awaiting_payment';
  return depositView(given, payable ? checkoutLinks.url(deps, id) : undefined);
}
