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
      description: '`pending`: not yet with the acquirer, including a withdrawal that waits for approval.',
    }),
    amount: money().meta({ description: 'The amount that the card pays or receives.' }),
    currency: z.string(),
    fee: money(),
    creditedAmount: money().optional().meta({ description: 'Only for a top-up: `amount` less `fee`.' }),
    totalDebit: money().optional().meta({ description: 'Only for a withdrawal: `amount` plus `fee`.' }),
    returnedAmount: money().optional().meta({ description: 'The part of `amount` that went back.' }),
    redirectUrl: z
      .url()
      .optional()
      .meta({ description: 'Page where the payer confirms, while the status is `requires_action`.' }),
    returnUrl: shownUrl().optional(),
    failure: z.string().optional().meta({ description: 'Code of the reason for a failure or a return.' }),
    referenceId: z.string().meta({ description: 'Reference of the account transactions.' }),
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
