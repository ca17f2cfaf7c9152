import { anyOf, NOW, raw, table } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { Decimal } from '../../kernel/money/money';
import type { Bin, ProgrammeLimits } from './record';

type Bound = 'maxAuthorization' | 'maxPerDay' | 'maxPerMonth' | 'challengeAbove';

/** A BIN as a flat row. NUMERIC is text. */
type Row = Omit<Bin, 'fees' | 'markupPercent' | Bound> &
  Record<
    'feeIssue' | 'feeTopup' | 'feeSettleFixed' | 'feeSettlePercent' | 'feeDecline' | 'markupPercent',
    string
  > &
  Record<Bound, string | null>;

const binOf = ({
  feeIssue,
  feeTopup,
  feeSettleFixed,
  feeSettlePercent,
  feeDecline,
  markupPercent,
  maxAuthorization,
  maxPerDay,
  maxPerMonth,
  challengeAbove,
  ...bin
}: Row): Bin => ({
  ...bin,
  fees: {
    issue: new Decimal(feeIssue),
    topUp: new Decimal(feeTopup),
    settleFixed: new Decimal(feeSettleFixed),
    settlePercent: new Decimal(feeSettlePercent),
    decline: new Decimal(feeDecline),
  },
  markupPercent: new Decimal(markupPercent),
  maxAuthorization: decimalOrNull(maxAuthorization),
  maxPerDay: decimalOrNull(maxPerDay),
  maxPerMonth: decimalOrNull(maxPerMonth),
  challengeAbove: decimalOrNull(challengeAbove),
});

const decimalOrNull = (value: string | null): Decimal | null => (value === null ? null : new Decimal(value));

const rowOf = ({ fees, markupPercent, ...bin }: Bin): Row => ({
  ...bin,
  ...limitsRow(bin),
  feeIssue: fees.issue.toFixed(),
  feeTopup: fees.topUp.toFixed(),
  feeSettleFixed: fees.settleFixed.toFixed(),
  feeSettlePercent: fees.settlePercent.toFixed(),
  feeDecline: fees.decline.toFixed(),
  markupPercent: markupPercent.toFixed(),
});

const limitsRow = ({
  maxAuthorization,
  maxPerDay,
  maxPerMonth,
  challengeAbove,
}: ProgrammeLimits): Record<Bound, string | null> => ({
  maxAuthorization: maxAuthorization?.toFixed() ?? null,
  maxPerDay: maxPerDay?.toFixed() ?? null,
  maxPerMonth: maxPerMonth?.toFixed() ?? null,
  challengeAbove: challengeAbove?.toFixed() ?? null,
});

/** Replaces the limits and leaves the rest of the programme. */
export async function updateProgrammeLimits(tx: Sql, bin: string, limits: ProgrammeLimits): Promise<void> {
  const { blockedMccs, allowedMccs, blockedCountries, challengeEcommerce, homeCountries } = limits;
  const row = {
    ...limitsRow(limits),
    ...{ blockedMccs, allowedMccs, blockedCountries, challengeEcommerce, homeCountries },
    updatedAt: NOW,
  };
  await tx.run(table('bins').where({ bin }).update(row));
}

/** @returns false when the BIN exists; it is then left alone */
export async function insertBin(tx: Sql, bin: Bin): Promise<boolean> {
  const rows = await tx.run(table('bins').insert(rowOf(bin)).onConflict().ignore().returning('bin'));
  return rows.length === 1;
}

/** The BINs with these codes. */
export async function readBins(sql: Sql, bins: string[]): Promise<Bin[]> {
  return (await sql.run<Row>(table('bins').where(anyOf('bin', bins)))).map(binOf);
}

/** Locks a BIN until the end of the transaction. */
export async function lockBin(tx: Sql, bin: string): Promise<Bin | undefined> {
  const [row] = await tx.run<Row>(table('bins').where({ bin }).forNoKeyUpdate());
  return row && binOf(row);
}

/** Writes the fields that an operator may change. */
export async function updateBin(tx: Sql, { bin, status, capacityPerCardholder }: Bin): Promise<void> {
  await tx.run(table('bins').where({ bin }).update({ status, capacityPerCardholder, updatedAt: NOW }));
}

/** The BINs that a tenant is admitted to, closed ones included. Without a tenant: all BINs. */
export async function listAdmittedBins(sql: Sql, tenantId: string | null): Promise<Bin[]> {
  return (await sql.run<Row>(admitted(tenantId).orderBy('bins.bin'))).map(binOf);
}

/** @param tenantId the tenant that must be admitted to the BIN; null finds any BIN, for an admin */
export async function findAdmittedBin(
  sql: Sql,
  tenantId: string | null,
  bin: string,
): Promise<Bin | undefined> {
  if (!/^\d{1,19}$/.test(bin)) return undefined;
  const [row] = await sql.run<Row>(admitted(tenantId).where({ 'bins.bin': bin }));
  return row && binOf(row);
}

function admitted(tenantId: string | null) {
  const bins = table('bins').select('bins.*');
  return tenantId === null
    ? bins
    : bins.join('tenantBins', 'tenantBins.bin', 'bins.bin').where({ 'tenantBins.tenantId': tenantId });
}

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
      .merge({ enabled, updatedAt: raw('now()') })
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
