import { table } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';
import { noteChange } from './changes';

/** A payment that the bank has received for an IBAN of our range. */
export interface BankCredit {
  id: string;
  iban: string;
  account: string;
  amount: Decimal;
  currency: string;
  /** Sealed, bound to the id. Null: the bank names no payer. */
  payer: Buffer | null;
  endToEndId: string | null;
  transactionId: string | null;
  uetr: string | null;
  /** The payer's bank asks it back. */
  recallAsked: boolean;
  version: number;
}

export interface CreditRecall {
  id: string;
  creditId: string;
  amount: Decimal;
}

const credits = recordTable<BankCredit>('bank_credits', { amount: decimal }, [
  'id',
  'iban',
  'account',
  'amount',
  'currency',
  'payer',
  'endToEndId',
  'transactionId',
  'uetr',
  'recallAsked',
  'version',
]);
const recalls = recordTable<CreditRecall>('bank_credit_recalls', { amount: decimal });

/** Stores a received payment and lists it. */
export async function insertCredit(
  tx: Tx,
  credit: Omit<BankCredit, 'version' | 'recallAsked'>,
): Promise<void> {
  await tx.run(credits().insert(credits.row(credit)));
  await noteChange(tx, 'bank', credit.id, 1);
}

export const findCredit = (sql: Sql, id: string): Promise<BankCredit | undefined> =>
  credits.one(sql, credits().where({ id }));

export const lockCredit = (tx: Tx, id: string): Promise<BankCredit | undefined> =>
  credits.one(tx, credits().where({ id }).forNoKeyUpdate());

interface Names {
  transactionId?: string | undefined;
  endToEndId?: string | undefined;
  uetr?: string | undefined;
}

/** The payments that a message may mean. More than one: the reference of the payer is not unique. */
export async function creditsNamed(sql: Sql, names: Names): Promise<BankCredit[]> {
  for (const name of ['transactionId', 'endToEndId'] as const) {
    const value = names[name];
    if (value === undefined) continue;
    const found = await credits.all(sql, credits().where(name, value).orderBy('id').limit(2));
    const { uetr: wanted } = names;
    const exact = found.filter(({ uetr }) => wanted !== undefined && uetr === wanted);
    if (exact.length > 0) return exact;
    const possible = found.filter(({ uetr }) => wanted === undefined || uetr === null);
    if (possible.length > 0) return possible;
  }
  return [];
}

/** The received payment of a transaction between banks, which has one id among all banks. */
export async function creditOfTransaction(
  sql: Sql,
  names: Pick<Names, 'transactionId' | 'uetr'> & {
    payeeIban: string | undefined;
    amount: Decimal;
    currency: string;
  },
  account: string,
): Promise<BankCredit | undefined> {
  const { payeeIban: iban = account, amount, currency } = names;
  for (const name of ['uetr', 'transactionId'] as const) {
    const value = names[name];
    if (value === undefined) continue;
    const same = credits().where({ account, iban, amount: amount.toFixed(), currency }).where(name, value);
    const found = await credits.one(sql, same.orderBy('id').limit(1));
    if (found) return found;
  }
  return undefined;
}

export const recallsOf = (sql: Sql, creditId: string): Promise<CreditRecall[]> =>
  recalls.all(sql, recalls().where({ creditId }).orderBy('id'));

export async function insertRecall(tx: Tx, recall: CreditRecall): Promise<void> {
  await tx.run(table('bank_credit_recalls').insert(recalls.row(recall)));
}

export async function noteRecallAsked(tx: Tx, id: string, recallAsked: boolean): Promise<void> {
  await tx.run(credits().where({ id }).update({ recallAsked }));
}
