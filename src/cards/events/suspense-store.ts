import { table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Write } from '../../kernel/db/writes';
import { Decimal } from '../../kernel/money/money';

/** Money of a closed card for which no account of its tenant was open. */
export interface CardSuspense {
  cardId: string;
  amount: Decimal;
  since: Date;
}

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

export async function findCardSuspense(sql: Sql, cardId: string): Promise<CardSuspense | undefined> {
  const [row] = await sql.run<Omit<CardSuspense, 'amount'> & { amount: string }>(
    table('card_suspense').select('cardId', 'amount', 'since').where({ cardId }),
  );
  return row && { ...row, amount: new Decimal(row.amount) };
}

/** @param left zero deletes the row */
export async function saveCardSuspense(tx: Sql, cardId: string, left: Decimal): Promise<void> {
  const its = table('card_suspense').where({ cardId });
  await tx.run(left.isZero() ? its.del() : its.update({ amount: left.toFixed() }));
}
