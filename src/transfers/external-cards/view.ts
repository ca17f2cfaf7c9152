import { z } from 'zod';
import { formatAmount, formatAmounts } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
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
  const { id, accountId, status, terms, reached } = transfer;
  const { amount, fee, currency } = terms;
  const record = { ...transfer, currency, returnUrl };
  return shown(externalCardSchema, record, {
    txId: id,
    accountId: accountId ?? '',
    type: kind,
    status: shownStatus(status),
    ...formatAmounts({ amount, fee }, currency),
    creditedAmount: kind === 'topup' ? formatAmount(amount.minus(fee), currency) : undefined,
    totalDebit: kind === 'topup' ? undefined : formatAmount(amount.plus(fee), currency),
    returnedAmount:
      status === 'returned' ? formatAmount(amount.minus(keptOf(transfer)), currency) : undefined,
    redirectUrl: status === 'requires_action' ? redirectLinks.url(deps, id) : undefined,
    completedAt: reached['completed'],
  });
}
