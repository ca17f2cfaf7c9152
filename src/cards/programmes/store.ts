import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { CardholderModel } from '../../people/cardholders/meta-rules';
import type { Programme } from './record';

/** A BIN with the programme that runs on it. */
export interface Bin extends Programme {
  /** `providerCardHolderModel`: how a cardholder is created (`interface.md 1`). */
  model: CardholderModel;
  status: 'active' | 'closed';
  capacityPerCardholder: number;
  /** Every new tenant of a sandbox is admitted to it. */
  demo: boolean;
}

interface Row {
  bin: string;
  scheme: string;
  currency: string;
  model: CardholderModel;
  status: 'active' | 'closed';
  capacity_per_cardholder: number;
  fee_issue: string;
  fee_topup: string;
  fee_settle_fixed: string;
  fee_settle_percent: string;
  fee_decline: string;
  markup_percent: string;
  authorization_days: number;
  max_authorization: string | null;
  blocked_mccs: string[];
  demo: boolean;
}

const COLUMNS = `b.bin, b.scheme, b.currency, b.model, b.status, b.capacity_per_cardholder, b.fee_issue, b.fee_topup,
  b.fee_settle_fixed, b.fee_settle_percent, b.fee_decline, b.markup_percent, b.authorization_days, b.max_authorization,
  b.blocked_mccs, b.demo`;

const binOf = (row: Row): Bin => ({
  bin: row.bin,
  scheme: row.scheme,
  currency: row.currency,
  model: row.model,
  status: row.status,
  capacityPerCardholder: row.capacity_per_cardholder,
  fees: {
    issue: new Decimal(row.fee_issue),
    topUp: new Decimal(row.fee_topup),
    settleFixed: new Decimal(row.fee_settle_fixed),
    settlePercent: new Decimal(row.fee_settle_percent),
    decline: new Decimal(row.fee_decline),
  },
  markupPercent: new Decimal(row.markup_percent),
  authorizationDays: row.authorization_days,
  maxAuthorization: row.max_authorization === null ? null : new Decimal(row.max_authorization),
  blockedMccs: row.blocked_mccs,
  demo: row.demo,
});

/** @returns false when the BIN exists already: it is left as it is */
export async function insertBin(tx: Sql, bin: Bin): Promise<boolean> {
  const rows = await tx.query(
    `insert into bins (bin, scheme, currency, model, status, capacity_per_cardholder, fee_issue, fee_topup,
       fee_settle_fixed, fee_settle_percent, fee_decline, markup_percent, authorization_days, max_authorization,
       blocked_mccs, demo)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) on conflict do nothing returning bin`,
    [
      bin.bin,
      bin.scheme,
      bin.currency,
      bin.model,
      bin.status,
      bin.capacityPerCardholder,
      bin.fees.issue.toFixed(),
      bin.fees.topUp.toFixed(),
      bin.fees.settleFixed.toFixed(),
      bin.fees.settlePercent.toFixed(),
      bin.fees.decline.toFixed(),
      bin.markupPercent.toFixed(),
      bin.authorizationDays,
      bin.maxAuthorization?.toFixed() ?? null,
      bin.blockedMccs,
      bin.demo,
    ],
  );
  return rows.length === 1;
}

/** The BINs with these codes; on the path of every authorization. */
export async function readBins(sql: Sql, bins: string[]): Promise<Bin[]> {
  const rows = await sql.prepared<Row>('bins-read', `select ${COLUMNS} from bins b where b.bin = any($1)`, [
    bins,
  ]);
  return rows.map(binOf);
}

export async function allBins(sql: Sql): Promise<Bin[]> {
  return (await sql.query<Row>(`select ${COLUMNS} from bins b order by b.bin`)).map(binOf);
}

/** The BINs that the tenant may issue on, closed ones too; all of them without a tenant. */
export async function admittedBins(sql: Sql, tenantId: string | null): Promise<Bin[]> {
  if (tenantId === null) return allBins(sql);
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from tenant_bins t join bins b on b.bin = t.bin where t.tenant_id = $1 order by b.bin`,
    [tenantId],
  );
  return rows.map(binOf);
}

/** @param tenantId who must have been admitted to it; null for an admin, who finds any */
export async function findAdmittedBin(
  sql: Sql,
  tenantId: string | null,
  bin: string,
): Promise<Bin | undefined> {
  if (!/^\d{1,19}$/.test(bin)) return undefined;
  if (tenantId === null) return (await readBins(sql, [bin]))[0];
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from tenant_bins t join bins b on b.bin = t.bin where t.tenant_id = $1 and t.bin = $2`,
    [tenantId, bin],
  );
  return row && binOf(row);
}

export async function insertTenantBins(tx: Sql, tenantId: string, bins: string[]): Promise<void> {
  await tx.query(
    'insert into tenant_bins (tenant_id, bin) select $1, b from unnest($2::text[]) b on conflict do nothing',
    [tenantId, bins],
  );
}

/** Lets a tenant issue on every demo BIN. */
export async function insertTenantDemoBins(tx: Sql, tenantId: string): Promise<void> {
  await tx.query(
    'insert into tenant_bins (tenant_id, bin) select $1, bin from bins where demo on conflict do nothing',
    [tenantId],
  );
}

export async function closeBin(tx: Sql, bin: string): Promise<void> {
  await tx.query(`update bins set status = 'closed', updated_at = now() where bin = $1`, [bin]);
}

/** @returns whether the user had no setting for the BIN before */
export async function upsertUserBin(
  tx: Sql,
  userId: string,
  bin: string,
  enabled: boolean,
): Promise<boolean> {
  const [row] = await tx.query<{ created: boolean }>(
    `insert into user_bins (user_id, bin, enabled) values ($1, $2, $3)
     on conflict (user_id, bin) do update set enabled = excluded.enabled, updated_at = now()
     returning (xmax = 0) as created`,
    [userId, bin, enabled],
  );
  return row?.created ?? false;
}

/** By user, the BINs that were disabled for them: a BIN without a setting is enabled. */
export async function disabledBins(sql: Sql, userIds: string[]): Promise<Map<string, Set<string>>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql.query<{ user_id: string; bins: string[] }>(
    `select user_id, array_agg(bin) as bins from user_bins where user_id = any($1) and not enabled group by user_id`,
    [userIds],
  );
  return new Map(rows.map((row) => [row.user_id, new Set(row.bins)]));
}
