import { raw, table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { lockByKey } from '../../sandbox/rows';

/** A card as the sandbox's processor stores it. */
export interface ProcessorCard {
  sequence: bigint;
  key: string;
  bin: string;
  label: string | null;
  firstAskedAt: Date;
  calls: number;
  /** When the order was taken. The columns of the made card are null before. */
  acceptedAt: Date | null;
  reference: string | null;
  numberSealed: Buffer | null;
  cvvSealed: Buffer | null;
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** When its closure was first requested. */
  firstCloseAt: Date | null;
  /** Key of the closure that was taken. */
  closureKey: string | null;
  closingAt: Date | null;
}

const cards = () => table('sandbox_processor_cards');
const COLUMNS = [
  ...['sequence', 'key', 'bin', 'label', 'firstAskedAt', 'calls', 'acceptedAt', 'reference'],
  ...['numberSealed', 'cvvSealed', 'last4', 'expiryMonth', 'expiryYear'],
  ...['firstCloseAt', 'closureKey', 'closingAt'],
];

type Row = Omit<ProcessorCard, 'sequence'> & { sequence: string };

const cardOf = (row: Row): ProcessorCard => ({ ...row, sequence: BigInt(row.sequence) });

export type Order = Pick<ProcessorCard, 'key' | 'bin' | 'label'>;

/** Locks the card of that order. The first call inserts it. */
export async function lockOrder(tx: Sql, order: Order, at: Date): Promise<ProcessorCard> {
  const row = { ...order, firstAskedAt: at };
  return cardOf(await lockByKey<Row>(tx, 'sandbox_processor_cards', row, COLUMNS));
}

export const findByKey = (sql: Sql, key: string) => find(sql, { key });
export const findByReference = (sql: Sql, reference: string) => find(sql, { reference });

async function find(sql: Sql, by: Record<string, string>): Promise<ProcessorCard | undefined> {
  const [row] = await sql.run<Row>(cards().select(COLUMNS).where(by));
  return row && cardOf(row);
}

export async function lockByReference(tx: Sql, reference: string): Promise<ProcessorCard | undefined> {
  const [row] = await tx.run<Row>(cards().select(COLUMNS).where({ reference }).forUpdate());
  return row && cardOf(row);
}

/** The columns that a card has once its order is taken. */
export type MadeCard = Pick<
  ProcessorCard,
  'acceptedAt' | 'reference' | 'numberSealed' | 'cvvSealed' | 'last4' | 'expiryMonth' | 'expiryYear'
>;

/** Counts a call. @param made empty where the order was not taken by this call */
export function noteCall(tx: Tx, key: string, made: Partial<MadeCard>): void {
  tx.defer(
    cards()
      .where({ key })
      .update({ ...made, calls: raw('calls + 1') }),
  );
}

export function noteClosure(
  tx: Tx,
  { key, ...closure }: Pick<ProcessorCard, 'key' | 'firstCloseAt' | 'closureKey' | 'closingAt'>,
): void {
  tx.defer(cards().where({ key }).update(closure));
}

/** A wallet's request as the processor stores it. */
export interface ProcessorTokenization {
  key: string;
  reference: string;
  wallet: string;
  takenAt: Date;
}

const tokenizations = () => table('sandbox_processor_tokenizations');

/** @returns whether the request is the first with that key */
export async function insertTokenization(tx: Sql, given: ProcessorTokenization): Promise<boolean> {
  const rows = await tx.run(tokenizations().insert(given).onConflict('key').ignore().returning('key'));
  return rows.length === 1;
}

export async function findTokenization(
  sql: Sql,
  by: Pick<ProcessorTokenization, 'key' | 'reference'>,
): Promise<ProcessorTokenization | undefined> {
  const [row] = await sql.run<ProcessorTokenization>(
    tokenizations().select(['key', 'reference', 'wallet', 'takenAt']).where(by),
  );
  return row;
}
