import type { Sql } from '../../kernel/db/database';
import type { Wallet } from '../../parties/card-processor/port';
import { overdueIn } from '../../process/due';

export interface Tokenization {
  id: string;
  tenantId: string;
  cardId: string;
  wallet: Wallet;
  status: 'pending' | 'completed' | 'failed';
  failure: string | null;
}

const COLUMNS = 'id, tenant_id as "tenantId", card_id as "cardId", wallet, status, failure';

/** The card is locked, and none is under way for this wallet. */
export async function insertTokenization(
  tx: Sql,
  given: Pick<Tokenization, 'id' | 'tenantId' | 'cardId' | 'wallet'>,
): Promise<Tokenization> {
  const [row] = await tx.query<Tokenization>(
    `insert into card_tokenizations (id, tenant_id, card_id, wallet, status) values ($1, $2, $3, $4, 'pending')
     returning ${COLUMNS}`,
    [given.id, given.tenantId, given.cardId, given.wallet],
  );
  return row as Tokenization;
}

export async function findTokenization(sql: Sql, id: string): Promise<Tokenization | undefined> {
  const [row] = await sql.query<Tokenization>(`select ${COLUMNS} from card_tokenizations where id = $1`, [
    id,
  ]);
  return row;
}

export async function findOpenTokenization(
  sql: Sql,
  cardId: string,
  wallet: Wallet,
): Promise<Tokenization | undefined> {
  const [row] = await sql.query<Tokenization>(
    `select ${COLUMNS} from card_tokenizations where card_id = $1 and wallet = $2 and status = 'pending'`,
    [cardId, wallet],
  );
  return row;
}

/** Ends it, once: a later word on the same one changes nothing. */
export async function endTokenization(
  tx: Sql,
  id: string,
  end: { status: 'completed' | 'failed'; failure: string | null },
): Promise<void> {
  await tx.query(
    `update card_tokenizations set status = $2, failure = $3, updated_at = date_trunc('milliseconds', clock_timestamp())
      where id = $1 and status = 'pending'`,
    [id, end.status, end.failure],
  );
}

export const overdueTokenizations = overdueIn<Pick<Tokenization, 'id' | 'tenantId'>>('card_tokenizations', {
  columns: ['id', 'tenantId'],
  dueBy: 'updated_at',
  open: `status = 'pending'`,
});
