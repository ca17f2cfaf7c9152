import { NOW } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import type { Wallet } from '../../parties/card-processor/port';
import { overdueIn } from '../../process/overdue';
import type { Tokenization } from './record';

const tokenizations = recordTable<Tokenization>('card_tokenizations', {});

/** Inserts a pending tokenization. The caller holds the card's lock, and none is under way for the same wallet. */
export const insertTokenization = (
  tx: Sql,
  given: Pick<Tokenization, 'id' | 'tenantId' | 'cardId' | 'wallet'>,
) => tokenizations.saved(tx, tokenizations().insert({ ...given, status: 'pending' }));

export const findTokenization = (sql: Sql, id: string) =>
  tokenizations.one(sql, tokenizations().where({ id }));

export const findOpenTokenization = (sql: Sql, cardId: string, wallet: Wallet) =>
  tokenizations.one(sql, tokenizations().where({ cardId, wallet, status: 'pending' }));

/** Ends a pending tokenization. Idempotent: a later answer changes nothing. */
export async function endTokenization(
  tx: Sql,
  id: string,
  end: { status: 'completed' | 'failed'; failure: string | null },
): Promise<void> {
  await tx.run(
    tokenizations()
      .where({ id, status: 'pending' })
      .update({ ...end, updatedAt: NOW }),
  );
}

export const overdueTokenizations = overdueIn<Pick<Tokenization, 'id' | 'tenantId'>>('card_tokenizations', {
  columns: ['id', 'tenantId'],
  dueBy: 'updated_at',
  open: `status = 'pending'`,
});
