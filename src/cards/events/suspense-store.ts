import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import type { Write } from '../../kernel/db/writes';
import type { Decimal } from '../../kernel/money/money';

/** Money of a closed card for which no account of its tenant was open. */
export interface CardSuspense {
  cardId: string;
  amount: Decimal;
  since: Date;
}

const suspense = recordTable<CardSuspense>('card_suspense', { amount: decimal }, [
  'cardId',
  'amount',
  'since',
]);

/** Adds to the suspense amounts of cards. The caller holds the locks of the cards. */
export function cardSuspenseWrite(added: readonly CardSuspense[]): Write | undefined {
  if (added.length === 0) return undefined;
  const rows = added.map(({ cardId, amount, since }) => ({
    card_id: cardId,
    amount: amount.toFixed(),
    since,
  }));
  return {
    name: 'card-suspense',
    statement: `insert into card_suspense as s (card_id, amount, since)
      select card_id, sum(amount), min(since)
        from jsonb_to_recordset($1::jsonb) as n (card_id text, amount numeric, since timestamptz) group by card_id
      on conflict (card_id) do update set amount = s.amount + excluded.amount`,
    values: [JSON.stringify(rows)],
  };
}

export const findCardSuspense = (sql: Sql, cardId: string) => suspense.one(sql, suspense().where({ cardId }));

/** @param left zero deletes the row */
export async function saveCardSuspense(tx: Sql, cardId: string, left: Decimal): Promise<void> {
  const its = suspense().where({ cardId });
  await tx.run(left.isZero() ? its.del() : its.update(suspense.row({ amount: left })));
}
