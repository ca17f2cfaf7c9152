import type { Sql } from '../../../kernel/db/database';

/** A card as the sandbox's processor keeps it. */
export interface ProcessorCard {
  sequence: bigint;
  key: string;
  bin: string;
  label: string | null;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken; what follows is absent before. */
  acceptedAt: Date | null;
  reference: string | null;
  numberSealed: Buffer | null;
  cvvSealed: Buffer | null;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  firstCloseAt: Date | null;
}

const COLUMNS = `sequence, key, bin, label, first_asked_at as "firstAskedAt", calls, accepted_at as "acceptedAt", reference,
  number_sealed as "numberSealed", cvv_sealed as "cvvSealed", last4, expiry_month as "expiryMonth",
  expiry_year as "expiryYear", first_close_at as "firstCloseAt"`;

type Row = Omit<ProcessorCard, 'sequence'> & { sequence: string };

const card = (row: Row): ProcessorCard => ({ ...row, sequence: BigInt(row.sequence) });

/** The card of that order, locked; noted at the first call. */
export async function lockOrder(
  tx: Sql,
  order: { key: string; bin: string; label: string | null; at: Date },
): Promise<ProcessorCard> {
  await tx.query(
    `insert into sandbox_processor_cards (key, bin, label, first_asked_at) values ($1, $2, $3, $4)
     on conflict (key) do nothing`,
    [order.key, order.bin, order.label, order.at],
  );
  const [row] = await tx.query<Row>(
    `select ${COLUMNS} from sandbox_processor_cards where key = $1 for update`,
    [order.key],
  );
  if (!row) throw new Error('the order is gone');
  return card(row);
}

export async function findByKey(sql: Sql, key: string): Promise<ProcessorCard | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_processor_cards where key = $1`, [key]);
  return row && card(row);
}

export async function findByReference(sql: Sql, reference: string): Promise<ProcessorCard | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from sandbox_processor_cards where reference = $1`, [
    reference,
  ]);
  return row && card(row);
}

export async function countCall(tx: Sql, key: string): Promise<void> {
  await tx.query('update sandbox_processor_cards set calls = calls + 1 where key = $1', [key]);
}

export async function accept(
  tx: Sql,
  key: string,
  made: Pick<
    ProcessorCard,
    'acceptedAt' | 'reference' | 'numberSealed' | 'cvvSealed' | 'last4' | 'expiryMonth' | 'expiryYear'
  >,
): Promise<void> {
  await tx.query(
    `update sandbox_processor_cards
        set accepted_at = $2, reference = $3, number_sealed = $4, cvv_sealed = $5, last4 = $6, expiry_month = $7,
            expiry_year = $8
      where key = $1`,
    [
      key,
      made.acceptedAt,
      made.reference,
      made.numberSealed,
      made.cvvSealed,
      made.last4,
      made.expiryMonth,
      made.expiryYear,
    ],
  );
}

/** When the card's closure was first asked for: at this call, or earlier. */
export async function noteClosure(sql: Sql, reference: string, at: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ firstCloseAt: Date }>(
    `update sandbox_processor_cards set first_close_at = coalesce(first_close_at, $2) where reference = $1
     returning first_close_at as "firstCloseAt"`,
    [reference, at],
  );
  return row?.firstCloseAt;
}
