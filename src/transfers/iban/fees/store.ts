import { NOW } from '../../../kernel/db/build';
import type { Sql } from '../../../kernel/db/database';
import { decimal, recordTable } from '../../../kernel/db/record-table';
import type { Decimal } from '../../../kernel/money/money';

/** The fee of an IBAN for a month. */
export interface IbanFee {
  virtualIbanId: string;
  tenantId: string;
  /** `2026-01`. */
  month: string;
  amount: Decimal;
  referenceId: string;
  /** Failed attempts to take the fee. */
  attempts: number;
}

const fees = recordTable<IbanFee>('virtual_iban_fees', { amount: decimal });

export type DueMonth = Pick<IbanFee, 'virtualIbanId' | 'tenantId' | 'month'>;

/**
 * Ended months, with an enabled IBAN and without a fee, oldest first after a cursor. Looks at all past months, so a
 * run that was missed is made up for.
 */
export async function monthsWithoutFee(
  sql: Sql,
  at: Date,
  after: FeePlace | null,
  limit: number,
): Promise<DueMonth[]> {
  return sql.query<DueMonth>(
    `select distinct v.id as "virtualIbanId", v.tenant_id as "tenantId", to_char(m.month, 'YYYY-MM') as month
       from virtual_iban_periods p
       join virtual_ibans v on v.id = p.virtual_iban_id
      cross join lateral generate_series(
              date_trunc('month', p.enabled_at at time zone 'UTC'),
              date_trunc('month', coalesce(p.disabled_at, $1) at time zone 'UTC'), interval '1 month') as m(month)
      where m.month + interval '1 month' <= $1 at time zone 'UTC'
        and not exists (select from virtual_iban_fees f
                         where f.virtual_iban_id = v.id and f.month = m.month::date)
        and ($2::text is null or (m.month, v.id) > (to_date($2, 'YYYY-MM'), $3))
      order by month, v.id limit $4`,
    [at, after?.month ?? null, after?.virtualIbanId ?? null, limit],
  );
}

/** Inserts a fee, unless the month has one. */
export async function insertFee(tx: Sql, fee: Omit<IbanFee, 'tenantId' | 'attempts'>): Promise<void> {
  await tx.query(
    `insert into virtual_iban_fees (virtual_iban_id, month, amount, status, reference_id)
     values ($1, to_date($2, 'YYYY-MM'), $3, 'unpaid', $4) on conflict do nothing`,
    [fee.virtualIbanId, fee.month, fee.amount.toFixed(), fee.referenceId],
  );
}

const SELECT = `select f.virtual_iban_id as "virtualIbanId", v.tenant_id as "tenantId",
    to_char(f.month, 'YYYY-MM') as month, f.amount, f.reference_id as "referenceId", f.attempts
  from virtual_iban_fees f join virtual_ibans v on v.id = f.virtual_iban_id where f.status = 'unpaid'`;

/** The cursor of unpaid fees, in the order in which they are taken. */
export type FeePlace = Pick<IbanFee, 'month' | 'virtualIbanId'>;

/** Unpaid fees, oldest first after a cursor. */
export async function unpaidFees(sql: Sql, after: FeePlace | null, limit: number): Promise<IbanFee[]> {
  const rows = await sql.query(
    `${SELECT} and ($1::text is null or (f.month, f.virtual_iban_id) > (to_date($1, 'YYYY-MM'), $2))
      order by f.month, f.virtual_iban_id limit $3`,
    [after?.month ?? null, after?.virtualIbanId ?? null, limit],
  );
  return rows.map(fees.record);
}

/** Locks an unpaid fee. Undefined when it has been paid. */
export async function lockUnpaidFee(tx: Sql, place: FeePlace): Promise<IbanFee | undefined> {
  const [row] = await tx.query(
    `${SELECT} and f.virtual_iban_id = $1 and f.month = to_date($2, 'YYYY-MM') for no key update of f`,
    [place.virtualIbanId, place.month],
  );
  return row && fees.record(row);
}

const feeAt = ({ virtualIbanId, month }: FeePlace) =>
  fees().where({ virtualIbanId }).whereRaw(`month = to_date(?, 'YYYY-MM')`, [month]);

export async function notePaid(tx: Sql, place: FeePlace): Promise<void> {
  await tx.run(feeAt(place).update({ status: 'paid', paidAt: NOW }));
}

export async function noteUnpaid(tx: Sql, place: FeePlace): Promise<void> {
  await tx.run(feeAt(place).increment('attempts'));
}
