import type { Sql } from '../../../kernel/db/database';
import { Decimal } from '../../../kernel/money/money';
import type { Portion } from '../quotes/price';

/** Money that goes back to the payer by our word or the party's. */
export interface DepositRefund extends Portion {
  id: string;
  depositId: string;
  /** `refund`: of a credited deposit, debited from its account. `return`: of one that was never credited. */
  kind: 'refund' | 'return';
  origin: 'operator' | 'provider';
  /** `requested`: the party has not taken it yet. */
  status: 'requested' | 'pending' | 'succeeded' | 'failed';
  referenceId: string;
  providerId: string | null;
}

/** Money that the payer's bank has taken back. */
export interface DepositDispute extends Portion {
  depositId: string;
  providerId: string;
  /** `reversed`: it was won, and the money given back. */
  status: 'debited' | 'reversed';
  referenceId: string;
}

type Raw<T> = Omit<T, keyof Portion> & Record<keyof Portion, string>;

const REFUND_COLUMNS = `id, deposit_id as "depositId", kind, origin, status, amount, debit, gross, excess,
  reference_id as "referenceId", provider_id as "providerId"`;
const DISPUTE_COLUMNS = `deposit_id as "depositId", provider_id as "providerId", status, amount, debit, gross, excess,
  reference_id as "referenceId"`;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

function portioned<T extends Portion>(row: Raw<T>): T {
  const { amount, debit, gross, excess } = row;
  const portion: Portion = {
    amount: new Decimal(amount),
    debit: new Decimal(debit),
    gross: new Decimal(gross),
    excess: new Decimal(excess),
  };
  return { ...row, ...portion } as unknown as T;
}

const amounts = ({ amount, debit, gross, excess }: Portion) => [
  amount.toFixed(),
  debit.toFixed(),
  gross.toFixed(),
  excess.toFixed(),
];

/** In the order in which they were asked for. */
export async function refundsOf(sql: Sql, depositId: string): Promise<DepositRefund[]> {
  const rows = await sql.query<Raw<DepositRefund>>(
    `select ${REFUND_COLUMNS} from deposit_refunds where deposit_id = $1 order by id`,
    [depositId],
  );
  return rows.map((row) => portioned<DepositRefund>(row));
}

export async function insertRefund(
  tx: Sql,
  given: DepositRefund & { reason: string | null; requestedBy: string },
): Promise<DepositRefund> {
  await tx.query(
    `insert into deposit_refunds (id, deposit_id, kind, origin, status, amount, debit, gross, excess, reference_id,
                                  provider_id, reason, requested_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      ...[given.id, given.depositId, given.kind, given.origin, given.status, ...amounts(given)],
      ...[given.referenceId, given.providerId, given.reason, given.requestedBy],
    ],
  );
  return given;
}

/** What the party calls it, once it has taken it. */
export async function nameRefund(sql: Sql, id: string, providerId: string): Promise<void> {
  await sql.query(
    `update deposit_refunds set provider_id = $2, status = 'pending', updated_at = ${NOW}
      where id = $1 and status = 'requested'`,
    [id, providerId],
  );
}

/** Writes how it ended, and what it came to. */
export async function endRefund(tx: Sql, refund: DepositRefund): Promise<void> {
  await tx.query(
    `update deposit_refunds set status = $2, amount = $3, debit = $4, gross = $5, excess = $6, updated_at = ${NOW}
      where id = $1`,
    [refund.id, refund.status, ...amounts(refund)],
  );
}

export async function disputesOf(sql: Sql, depositId: string): Promise<DepositDispute[]> {
  const rows = await sql.query<Raw<DepositDispute>>(
    `select ${DISPUTE_COLUMNS} from deposit_disputes where deposit_id = $1 order by provider_id`,
    [depositId],
  );
  return rows.map((row) => portioned<DepositDispute>(row));
}

export async function insertDispute(tx: Sql, given: DepositDispute): Promise<void> {
  await tx.query(
    `insert into deposit_disputes (deposit_id, provider_id, status, amount, debit, gross, excess, reference_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [given.depositId, given.providerId, given.status, ...amounts(given), given.referenceId],
  );
}

export async function reverseDispute(tx: Sql, { depositId, providerId }: DepositDispute): Promise<void> {
  await tx.query(
    `update deposit_disputes set status = 'reversed', updated_at = ${NOW}
      where deposit_id = $1 and provider_id = $2`,
    [depositId, providerId],
  );
}
