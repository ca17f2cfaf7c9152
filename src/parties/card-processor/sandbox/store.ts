import { raw, table } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { lockByKey } from '../../sandbox/rows';

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

const TABLE = 'sandbox_processor_cards';
const COLUMNS = [
  ...['sequence', 'key', 'bin', 'label', 'firstAskedAt', 'calls', 'acceptedAt', 'reference'],
  ...['numberSealed', 'cvvSealed', 'last4', 'expiryMonth', 'expiryYear', 'firstCloseAt'],
];

type Row = Omit<ProcessorCard, 'sequence'> & { sequence: string };

const cardOf = (row: Row): ProcessorCard => ({ ...row, sequence: BigInt(row.sequence) });

/** The card of that order, locked; noted at the first call. */
export async function lockOrder(
  tx: Sql,
  { at, ...order }: { key: string; bin: string; label: string | null; at: Date },
): Promise<ProcessorCard> {
  return cardOf(await lockByKey<Row>(tx, TABLE, { ...order, firstAskedAt: at }, COLUMNS));
}

export const findByKey = (sql: Sql, key: string) => find(sql, { key });
export const findByReference = (sql: Sql, reference: string) => find(sql, { reference });

async function find(sql: Sql, by: Record<string, string>): Promise<ProcessorCard | undefined> {
  const [row] = await sql.run<Row>(table(TABLE).select(COLUMNS).where(by));
  return row && cardOf(row);
}

export async function countCall(tx: Sql, key: string): Promise<void> {
  await tx.run(
    table(TABLE)
      .where({ key })
      .update({ calls: raw('calls + 1') }),
  );
}

/** What a card has from the moment when its order is taken. */
export type MadeCard = Pick<
  ProcessorCard,
  'acceptedAt' | 'reference' | 'numberSealed' | 'cvvSealed' | 'last4' | 'expiryMonth' | 'expiryYear'
>;

export async function accept(tx: Sql, key: string, made: MadeCard): Promise<void> {
  await tx.run(table(TABLE).where({ key }).update(made));
}

/** When the card's closure was first asked for: at this call, or earlier. */
export async function noteClosure(sql: Sql, reference: string, at: Date): Promise<Date | undefined> {
  const [row] = await sql.run<{ firstCloseAt: Date }>(
    table(TABLE)
      .where({ reference })
      .update({ firstCloseAt: raw('coalesce(first_close_at, ?)', [at]) })
      .returning('firstCloseAt'),
  );
  return row?.firstCloseAt;
}
