import { z } from 'zod';
import { accountTransactionSchema, accountTransactionView } from '../../accounts/accounts/view';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { destinationSchema } from '../payouts/destinations/destination';
import { creditedBack } from '../payouts/position';
import type { ShownPayout } from '../payouts/record';
import { payoutFields, priced, shownFields, shownPrice } from '../payouts/view';
import type { IbanQuote, readAccount } from './payouts/operations';
import type { VirtualIban } from './virtual-ibans/store';

const eur = (amount: Decimal) => formatAmount(amount, 'EUR');

/** The virtual IBAN in the API (decisions part 4, Payouts, virtual IBAN). */
export const virtualIbanSchema = z
  .object({
    id: z.string(),
    accountId: z.string().meta({ description: 'Account id for reading balance and account transactions.' }),
    companyId: z.string().meta({ examples: ['cli_01jz0000000000000000000000'] }),
    iban: z.string().meta({ examples: ['LT529999900000000001'] }),
    bic: z.string(),
    currency: z.literal('EUR'),
    status: z.enum(['active', 'disabled']),
    balance: z.object({ available: money(), pending: money() }),
    monthlyFee: money(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'VirtualIban' });

export function virtualIbanView({
  iban,
  balance,
  monthlyFee,
}: Awaited<ReturnType<typeof readAccount>>): z.infer<typeof virtualIbanSchema> {
  return {
    id: iban.id,
    accountId: iban.id,
    companyId: iban.tenantId,
    iban: iban.iban,
    bic: iban.bic,
    currency: 'EUR',
    status: iban.status,
    balance: { available: eur(balance.available), pending: eur(balance.pending) },
    monthlyFee: eur(monthlyFee),
    createdAt: iban.createdAt.toISOString(),
    updatedAt: iban.updatedAt.toISOString(),
  };
}

export const ibanQuoteSchema = z.object({
  quoteId: z.string(),
  ...priced,
  currency: z.literal('EUR'),
  receivedCurrency: z.literal('EUR'),
  rate: z.literal('1'),
  expiresAt: instant(),
});

export function ibanQuoteView({ quoteId, expiresAt, price }: IbanQuote): z.infer<typeof ibanQuoteSchema> {
  return {
    quoteId,
    ...shownPrice(price),
    ...{ currency: 'EUR', receivedCurrency: 'EUR', rate: '1' },
    expiresAt: expiresAt.toISOString(),
  };
}

export const ibanPayoutSchema = z
  .object({
    id: z.string().meta({ examples: ['ibp_01jz0000000000000000000000'] }),
    companyId: z.string(),
    ...payoutFields,
    currency: z.literal('EUR'),
    destination: destinationSchema.meta({ description: 'Masked.' }),
    referenceId: z.string().meta({ description: 'Reference of the account transactions.' }),
  })
  .meta({ id: 'IbanPayout' });

export type IbanPayoutView = z.infer<typeof ibanPayoutSchema>;

export function ibanPayoutView(shown: ShownPayout): IbanPayoutView {
  const { id, tenantId, referenceId } = shown.payout.transfer;
  const returned = creditedBack(shown.payout);
  return {
    id,
    companyId: tenantId ?? '',
    ...shownFields(shown),
    currency: 'EUR',
    destination: shown.details.destinationMasked,
    returnedAmount: returned?.gt(0) ? eur(returned) : undefined,
    referenceId,
  };
}

export const ibanTransferSchema = z
  .object({
    id: z.string(),
    companyId: z.string(),
    referenceId: z.string(),
    fromAccountId: z.string().meta({ description: 'The virtual IBAN.' }),
    toAccountId: z.string().meta({ description: "The company's EUR master account." }),
    amount: money(),
    currency: z.literal('EUR'),
    transactions: z.array(accountTransactionSchema),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'IbanTransfer' });

export function ibanTransferView(
  iban: VirtualIban,
  amount: Decimal,
  done: { referenceId: string; toAccountId: string; entries: PostedEntry[] },
): z.infer<typeof ibanTransferSchema> {
  const { referenceId, toAccountId, entries } = done;
  const at = (entries[0]?.at ?? new Date(0)).toISOString();
  return {
    id: referenceId,
    companyId: iban.tenantId,
    referenceId,
    fromAccountId: iban.id,
    toAccountId,
    amount: eur(amount),
    currency: 'EUR',
    transactions: entries.map((entry) => accountTransactionView(entry, 'EUR')),
    createdAt: at,
    updatedAt: at,
  };
}
