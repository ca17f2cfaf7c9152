import { NOW, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import type { Wallet } from '../../parties/card-processor/port';
import { overdueIn } from '../../process/overdue';
import type { Tokenization } from './record';

/** Inserts a pending tokenization. The caller holds the card's lock, and none is under way for the same wallet. */
export async function insertTokenization(
  tx: Sql,
  given: Pick<Tokenization, 'id' | 'tenantId' | 'cardId' | 'wallet'>,
): Promise<Tokenization> {
  const [row] = await tx.run<Tokenization>(
    table('card_tokenizations')
      .insert({ ...given, status: 'pending' })
      .returning('*'),
  );
  return row as Tokenization;
}

export async function findTokenization(sql: Sql, id: string): Promise<Tokenization | undefined> {
  const [row] = await sql.run<Tokenization>(table('card_tokenizations').where({ id }));
  return row;
}

export async function findOpenTokenization(
  sql: Sql,
  cardId: string,
  wallet: Wallet,
): Promise<Tokenization | undefined> {
  const [row] = await sql.run<Tokenization>(
    table('card_tokenizations').where({ cardId, wallet, status: 'pending' }),
  );
  return row;
}

/** Ends a pending tokenization. Idempotent: a later answer changes nothing. */
export async function endTokenization(
  tx: Sql,
  id: string,
  end: { status: 'completed' | 'failed'; failure: string | null },
): Promise<void> {
  await tx.run(
    table('card_tokenizations')
      .where({ id, status: 'pending' })
      .update({ ...end, updatedAt: NOW }),
  );
}

export const overdueTokenizations = overdueIn<Pick<Tokenization, 'id' | 'tenantId'>>('card_tokenizations', {
  columns: ['id', 'tenantId'],
  dueBy: 'updated_at',
  open: `status = 'pending'`,
});
