import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { type Balances, readBalances } from '../../kernel/ledger/accounts';
import { formatAmounts, ZERO } from '../../kernel/money/money';
import { instant, money } from '../../kernel/wire/schemas';
import { shown } from '../../kernel/wire/shown';
import { CARD_NUMBER_DIGITS } from '../../parties/card-processor/card-number';
import { CARD_STATUSES, type Card, FREEZE_REASONS } from './record';

/** A card on the wire (decisions part 4, Cards). The processor's fields are null until it has issued the card. */
export const cardSchema = z
  .object({
    id: z.string().meta({ examples: ['card_01jz0000000000000000000000'] }),
    userId: z.string(),
    accountId: z.string(),
    cardholderId: z.string(),
    bin: z.string(),
    scheme: z.string(),
    last4: z.string().nullable(),
    maskedNumber: z
      .string()
      .nullable()
      .meta({ examples: ['40000012****1234'] }),
    expiryMonth: z.number().int().nullable(),
    expiryYear: z.number().int().nullable(),
    currency: z.string(),
    label: z.string().optional(),
    status: z.enum(CARD_STATUSES),
    freezeReasons: z.array(z.enum(FREEZE_REASONS)),
    balance: z.object({ available: money(), pending: money(), spent: money() }),
    failure: z
      .string()
      .optional()
      .meta({ description: 'Reason why the processor refused the card; only while `status` is `failed`.' }),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Card' });

const NOTHING: Balances = { available: ZERO, pending: ZERO, spent: ZERO };

export const cardView = (card: Card, { available, pending, spent }: Balances = NOTHING) =>
  shown(cardSchema, card, {
    maskedNumber: card.last4 === null ? null : masked(card.bin, card.last4),
    balance: formatAmounts({ available, pending, spent }, card.currency),
  });

/** Card views with the balances of the ledger. */
export async function cardViews(sql: Sql, cards: Card[]) {
  if (cards.length === 0) return [];
  const balances = await readBalances(
    sql,
    cards.map((card) => card.id),
  );
  return cards.map((card) => cardView(card, balances.get(card.id)));
}

export async function cardWithBalance(sql: Sql, card: Card) {
  const balances = await readBalances(sql, [card.id]);
  return cardView(card, balances.get(card.id));
}

function masked(bin: string, last4: string): string {
  return bin + last4.padStart(CARD_NUMBER_DIGITS - bin.length, '*');
}
