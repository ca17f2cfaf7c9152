import type { Sql } from '../../../kernel/db/database';
import type { Decimal } from '../../../kernel/money/money';

type Outcome = 'credited' | 'suspended';

/** What became of a payment of the bank's; nothing when it has not been booked. */
export async function isKnownCredit(sql: Sql, bankId: string): Promise<Outcome | undefined> {
  const [row] = await sql.query<{ outcome: Outcome }>('select outcome from iban_credits where bank_id = $1', [
    bankId,
  ]);
  return row?.outcome;
}

/** @returns false when it has been booked */
export async function insertCredit(
  tx: Sql,
  given: {
    bankId: string;
    virtualIbanId: string | null;
    outcome: Outcome;
    reference: string;
    amount: Decimal;
    currency: string;
  },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into iban_credits (bank_id, virtual_iban_id, outcome, reference_id, amount, currency)
     values ($1, $2, $3, $4, $5, $6) on conflict (bank_id) do nothing returning bank_id`,
    [
      ...[given.bankId, given.virtualIbanId, given.outcome, given.reference],
      ...[given.amount.toFixed(), given.currency],
    ],
  );
  return rows.length === 1;
}

/** Up to where we have asked the bank what it has received. */
export async function readPlace(sql: Sql): Promise<string | null> {
  const [row] = await sql.query<{ place: string }>('select place from iban_credit_place');
  return row?.place ?? null;
}

export async function savePlace(sql: Sql, place: string): Promise<void> {
  await sql.query(
    `insert into iban_credit_place (sole, place) values (true, $1)
     on conflict (sole) do update set place = excluded.place`,
    [place],
  );
}
