import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { readBalances } from '../../kernel/ledger/accounts';
import { formatAmount, formatAmounts, ZERO } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { type CardOperation, OPERATION_STATUSES, OPERATION_TYPES, totalDebit } from '../buffered/record';
import type { Card } from '../cards/record';
import { cardSchema, cardView } from '../cards/view';
import type { Offer } from './quote';

/** A card on the wire of `GET /v2/cards/{id}`: its balance, and its buffer apart from it. */
export const bufferedCardSchema = cardSchema
  .extend({ buffer: z.object({ amount: money() }) })
  .meta({ id: 'BufferedCard' });

export async function bufferedCard(sql: Sql, card: Card) {
  const { id, bufferAccountId, currency } = card;
  const accounts = await readBalances(sql, bufferAccountId === null ? [id] : [id, bufferAccountId]);
  const buffer = accounts.get(bufferAccountId ?? '')?.available ?? ZERO;
  return { ...cardView(card, accounts.get(id)), buffer: { amount: formatAmount(buffer, currency) } };
}

const amounts = { principal: money(), buffer: money(), fee: money(), totalDebit: money() };

export const cardQuoteSchema = z
  .object({ quoteId: z.string(), amount: money(), ...amounts, currency: z.string(), expiresAt: instant() })
  .meta({ id: 'CardQuote' });

export function offerView({ quote, funding, currency }: Offer) {
  const { principal, buffer, fee } = funding;
  const amounts = { amount: principal.plus(buffer), principal, buffer, fee, totalDebit: totalDebit(funding) };
  return shown(cardQuoteSchema, quote, {
    quoteId: quote.id,
    ...formatAmounts(amounts, currency),
    currency,
  });
}

/** The response to an accepted operation. */
export const acceptedSchema = z
  .object({ operationId: z.string(), status: z.enum(OPERATION_STATUSES), cardId: z.string() })
  .meta({ id: 'AcceptedCardOperation' });

export const acceptedView = (operation: CardOperation) =>
  shown(acceptedSchema, operation, { operationId: operation.id });

export const operationSchema = z
  .object({
    id: z.string(),
    cardId: z.string(),
    accountId: z.string(),
    type: z.enum(OPERATION_TYPES),
    status: z.enum(OPERATION_STATUSES),
    result: z
      .object({
        ...amounts,
        currency: z.string(),
        accountTransactionIds: z.array(z.string()),
        cardTransactionIds: z.array(z.string()),
      })
      .optional()
      .describe(
        'Exactly the amounts and transactions that were posted; present when the status is `completed`.',
      ),
    failure: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('Present when the status is `failed`. A failed operation has changed no balance.'),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'CardOperation' });

export const operationView = (operation: CardOperation) => shown(operationSchema, operation);
