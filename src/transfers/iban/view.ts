import { z } from 'zod';
import {
  accountBalances,
  accountTransactionSchema,
  accountTransactionView,
} from '../../accounts/accounts/view';
import type { PostedEntry } from '../../kernel/ledger/entries';
import { type Decimal, formatAmount, formatAmounts } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { destinationSchema } from '../payouts/destinations/destination';
import { creditedBack } from '../payouts/position';
import type { ShownPayout } from '../payouts/record';
import { payoutFields, payoutValues, priced, priceTexts, returnedAmount } from '../payouts/view';
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
    balance: accountBalances,
    monthlyFee: money(),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'VirtualIban' });

export const virtualIbanView = ({
  iban,
  balance: { available, pending },
  monthlyFee,
}: Awaited<ReturnType<typeof readAccount>>) =>
  shown(virtualIbanSchema, iban, {
    accountId: iban.id,
    companyId: iban.tenantId,
    currency: 'EUR',
    balance: formatAmounts({ available, pending }, 'EUR'),
    monthlyFee: eur(monthlyFee),
  });

export const ibanQuoteSchema = z
  .object({
    quoteId: z.string(),
    ...priced,
    currency: z.literal('EUR'),
    receivedCurrency: z.literal('EUR'),
    rate: z.literal('1'),
    expiresAt: instant(),
  })
  .meta({ id: 'IbanQuote' });

export const ibanQuoteView = (quote: IbanQuote) =>
  shown(ibanQuoteSchema, quote, {
    ...priceTexts(quote.price),
    currency: 'EUR',
    receivedCurrency: 'EUR',
    rate: '1',
  });

export const ibanPayoutSchema = z
  .object({
    id: z.string().meta({ examples: ['ibp_01jz0000000000000000000000'] }),
    companyId: z.string(),
    ...payoutFields,
    currency: z.literal('EUR'),
    destination: destinationSchema.meta({ description: 'Masked.' }),
    returnedAmount: returnedAmount(),
    referenceId: z.string().meta({ description: 'Reference of the account transactions.' }),
  })
  .meta({ id: 'IbanPayout' });

export type IbanPayoutView = z.infer<typeof ibanPayoutSchema>;

export function ibanPayoutView(given: ShownPayout): IbanPayoutView {
  const returned = creditedBack(given.payout);
  return shown(ibanPayoutSchema, payoutValues(given), {
    companyId: given.payout.transfer.tenantId ?? '',
    currency: 'EUR',
    returnedAmount: returned?.gt(0) ? eur(returned) : undefined,
  });
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
) {
  const at = done.entries[0]?.at ?? new Date(0);
  return shown(ibanTransferSchema, done, {
    id: done.referenceId,
    companyId: iban.tenantId,
    fromAccountId: iban.id,
    amount: eur(amount),
    currency: 'EUR',
    transactions: done.entries.map((entry) => accountTransactionView(entry, 'EUR')),
    createdAt: at,
    updatedAt: at,
  });
}
