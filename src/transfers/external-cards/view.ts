import { z } from 'zod';
import { type Decimal, formatAmount } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shownUrl } from '../../kernel/wire/web-url';
import type { Services } from '../../services';
import { type CardTransfer, keptOf } from './order-rules';
import { EXTERNAL_CARD_KINDS, type ExternalCardKind, SHOWN_STATUSES, shownStatus } from './record';
import { redirectLinks } from './redirect';

/** A top-up or a withdrawal in the API (decisions part 4, Users and accounts). */
export const externalCardSchema = z
  .object({
    id: z.string().meta({ examples: ['ect_01jz0000000000000000000000'] }),
    txId: z.string().meta({ description: 'The same as `id`.' }),
    accountId: z.string(),
    type: z.enum(EXTERNAL_CARD_KINDS),
    status: z.enum(SHOWN_STATUSES).meta({
      description: '`pending`: not yet with the acquirer, also while a withdrawal waits for approval.',
    }),
    amount: money().meta({ description: 'What the card pays, or is paid.' }),
    currency: z.string(),
    fee: money(),
    creditedAmount: money().optional().meta({ description: 'Of a top-up: `amount` less `fee`.' }),
    totalDebit: money().optional().meta({ description: 'Of a withdrawal: `amount` and `fee`.' }),
    returnedAmount: money().optional().meta({ description: 'What of `amount` has gone back.' }),
    redirectUrl: z
      .url()
      .optional()
      .meta({ description: 'Where the payer confirms, while the status is `requires_action`.' }),
    returnUrl: shownUrl().optional(),
    failure: z.string().optional().meta({ description: 'Why it failed or came back, as a code.' }),
    referenceId: z.string().meta({ description: 'Of its account transactions.' }),
    createdAt: instant(),
    updatedAt: instant(),
    completedAt: instant().optional(),
  })
  .meta({ id: 'ExternalCardTransaction' });

export type ExternalCardView = z.infer<typeof externalCardSchema>;

/** A top-up or a withdrawal with the fields beside its transfer. */
export interface ShownCardTransfer {
  kind: ExternalCardKind;
  transfer: CardTransfer;
  returnUrl: string | null;
}

export function externalCardView(
  deps: Pick<Services, 'keyring' | 'publicUrl'>,
  { kind, transfer: { transfer }, returnUrl }: ShownCardTransfer,
): ExternalCardView {
  const { id, status, terms, failure, reached, createdAt, updatedAt } = transfer;
  const { amount, fee, currency } = terms;
  const shown = (value: Decimal) => formatAmount(value, currency);
  return {
    id,
    txId: id,
    accountId: transfer.accountId ?? '',
    type: kind,
    status: shownStatus(status),
    amount: shown(amount),
    currency,
    fee: shown(fee),
    ...(kind === 'topup'
      ? { creditedAmount: shown(amount.minus(fee)) }
      : { totalDebit: shown(amount.plus(fee)) }),
    ...(status === 'returned' ? { returnedAmount: shown(amount.minus(keptOf(transfer))) } : {}),
    ...(status === 'requires_action' ? { redirectUrl: redirectLinks.url(deps, id) } : {}),
    ...(returnUrl === null ? {} : { returnUrl }),
    ...(failure === null ? {} : { failure }),
    referenceId: transfer.referenceId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(reached['completed'] === undefined ? {} : { completedAt: reached['completed'] }),
  };
}
