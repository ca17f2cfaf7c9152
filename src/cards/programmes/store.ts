import { anyOf, NOW, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { decimal, recordTable } from '../../kernel/db/record-table';
import type { Decimal } from '../../kernel/money/money';
import type { Bin, ProgrammeLimits } from './record';

/** A BIN as it is stored, its fees in columns of their own. */
type Row = Omit<Bin, 'fees'> &
  Record<'feeIssue' | 'feeTopup' | 'feeSettleFixed' | 'feeSettlePercent' | 'feeDecline', Decimal>;

const bins = recordTable<Row>(
  'bins',
  {
    feeIssue: decimal,
    feeTopup: decimal,
    feeSettleFixed: decimal,
    feeSettlePercent: decimal,
    feeDecline: decimal,
    markupPercent: decimal,
    maxAuthorization: decimal,
    maxPerDay: decimal,
    maxPerMonth: decimal,
    challengeAbove: decimal,
  },
  ['bins.*'],
);

const binOf = ({ feeIssue, feeTopup, feeSettleFixed, feeSettlePercent, feeDecline, ...bin }: Row): Bin => ({
  ...bin,
  fees: {
    issue: feeIssue,
    topUp: feeTopup,
    settleFixed: feeSettleFixed,
    settlePercent: feeSettlePercent,
    decline: feeDecline,
  },
});

const rowOf = ({ fees, ...bin }: Bin) =>
  bins.row({
    ...bin,
    feeIssue: fees.issue,
    feeTopup: fees.topUp,
    feeSettleFixed: fees.settleFixed,
    feeSettlePercent: fees.settlePercent,
    feeDecline: fees.decline,
  });

/** Replaces the limits and leaves the rest of the programme. */
export async function updateProgrammeLimits(tx: Sql, bin: string, limits: ProgrammeLimits): Promise<void> {
  const row = { ...bins.row(limits), updatedAt: NOW };
  await tx.run(bins().where({ bin }).update(row));
}

/** @returns false when the BIN exists; it is then left alone */
export async function insertBin(tx: Sql, bin: Bin): Promise<boolean> {
  const rows = await tx.run(bins().insert(rowOf(bin)).onConflict().ignore().returning('bin'));
  return rows.length === 1;
}

/** The BINs with these codes. */
export const readBins = async (sql: Sql, codes: string[]) =>
  (await bins.all(sql, bins().where(anyOf('bin', codes)))).map(binOf);

/** Locks a BIN until the end of the transaction. */
export async function lockBin(tx: Sql, bin: string): Promise<Bin | undefined> {
  const row = await bins.one(tx, bins().where({ bin }).forNoKeyUpdate());
  return row && binOf(row);
}

/** Writes the fields that an operator may change. */
export async function updateBin(tx: Sql, { bin, status, capacityPerCardholder }: Bin): Promise<void> {
  await tx.run(bins().where({ bin }).update({ status, capacityPerCardholder, updatedAt: NOW }));
}

/** The BINs that a tenant is admitted to, closed ones included. Without a tenant: all BINs. */
export const listAdmittedBins = async (sql: Sql, tenantId: string | null) =>
  (await bins.all(sql, admitted(tenantId).orderBy('bins.bin'))).map(binOf);

/** @param tenantId the tenant that must be admitted to the BIN; null finds any BIN, for an admin */
export async function findAdmittedBin(
  sql: Sql,
  tenantId: string | null,
  bin: string,
): Promise<Bin | undefined> {
  if (!/^\d{1,19}$/.test(bin)) return undefined;
  const row = await bins.one(sql, admitted(tenantId).where({ 'bins.bin': bin }));
  return row && binOf(row);
}

const admitted = (tenantId: string | null) =>
  tenantId === null
    ? bins()
    : bins().join('tenantBins', 'tenantBins.bin', 'bins.bin').where({ 'tenantBins.tenantId': tenantId });

export async function insertTenantBin(tx: Sql, tenantId: string, bin: string): Promise<void> {
  await tx.run(table('tenant_bins').insert({ tenantId, bin }).onConflict().ignore());
}

/** Admits a tenant to every demo BIN. Raw SQL, because rows are inserted from a select. */
export async function insertTenantDemoBins(tx: Sql, tenantId: string): Promise<void> {
  await tx.query(
    'insert into tenant_bins (tenant_id, bin) select $1, bin from bins where demo on conflict do nothing',
    [tenantId],
  );
}

/** @returns whether the user had no setting for the BIN before */
export async function upsertUserBin(
  tx: Sql,
  userId: string,
  bin: string,
  enabled: boolean,
): Promise<boolean> {
  const [row] = await tx.run<{ created: boolean }>(
    table('user_bins')
      .insert({ userId, bin, enabled })
      .onConflict(['userId', 'bin'])
      .merge({ enabled, updatedAt: NOW })
      .returning(raw('(xmax = 0) as created')),
  );
  return row?.created ?? false;
}

/** For each user, the BINs that are disabled for them. A BIN without a setting is enabled. */
export async function disabledBinsOf(sql: Sql, userIds: string[]): Promise<Map<string, Set<string>>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql.run<{ userId: string; bins: string[] }>(
    table('user_bins')
      .select('userId', raw('array_agg(bin) as bins'))
      .where(anyOf('userId', userIds))
      .where({ enabled: false })
      .groupBy('userId'),
  );
  return new Map(rows.map(({ userId, bins }) => [userId, new Set(bins)]));
}
