import { table } from '../../kernel/db/build';
import type { Sql, Tx } from '../../kernel/db/database';
import { recordTable } from '../../kernel/db/record-table';
import { Decimal } from '../../kernel/money/money';
import type { Alone, Limits, SumName, Sums } from './record';

/** Settings of the installation that processes store when they start. */
export const SETTING_NAMES = [
  'admin_limit',
  'admin_tenant_limit',
  'admin_installation_limit',
  'base_currency',
  'dual_control',
  'new_tenant_daily_limit',
  'new_destination_hours',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
export type Settings = Partial<Record<SettingName, string>>;

const settings = recordTable<{ name: SettingName; value: string }>('installation_settings', {}, [
  'name',
  'value',
]);

export async function readSettings(sql: Sql): Promise<Settings> {
  const rows = await settings.all(sql, settings().whereIn('name', SETTING_NAMES));
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Locked until the end of the transaction. */
export async function lockSetting(tx: Tx, name: SettingName): Promise<string | undefined> {
  return (await settings.one(tx, settings().where({ name }).forUpdate()))?.value;
}

/** @returns false where the setting exists */
export async function insertSetting(tx: Tx, name: SettingName, value: string): Promise<boolean> {
  const made = await tx.run(settings().insert({ name, value }).onConflict().ignore().returning('name'));
  return made.length > 0;
}

export async function updateSetting(tx: Tx, name: SettingName, value: string, setAt: Date): Promise<void> {
  await tx.run(settings().where({ name }).update({ value, setAt }));
}

/** `2026-01-31`, UTC. */
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * Sums of earlier decisions made alone. One lock guards all of them, because each adds to the installation's sum. Take
 * it before the locks of accounts and transfers. Raw: an advisory lock of Postgres, and one query for all sums.
 * @returns `isWhole`: false where a part was counted in another base currency
 */
export async function sumsUnderLock(
  tx: Tx,
  { subject, tenantId, decidedBy, at, ever }: Alone,
  { base }: Pick<Limits, 'base'>,
): Promise<{ sums: Sums; isWhole: boolean }> {
  const [, rows] = await Promise.all([
    tx.query(`select pg_advisory_xact_lock(hashtextextended('decided alone', 121))`),
    tx.query<Record<SumName, string> & { isWhole: boolean }>(
      `select coalesce(sum(worth) filter (where $6 and subject = $1), 0)::text as transfer,
              coalesce(sum(worth) filter (where day = $2 and decided_by = $3), 0)::text as credential,
              coalesce(sum(worth) filter (where day = $2 and tenant_id = $4), 0)::text as tenant,
              coalesce(sum(worth) filter (where day = $2), 0)::text as installation,
              coalesce(bool_and(base_currency = $5), true) as "isWhole"
         from decided_alone where day = $2 or ($6 and subject = $1)`,
      [subject, dayOf(at), decidedBy, tenantId, base, ever],
    ),
  ]);
  const [row] = rows as [Record<SumName, string> & { isWhole: boolean }];
  const sum = (name: SumName) => new Decimal(row[name]);
  const [credential, tenant] = [sum('credential'), sum('tenant')];
  return {
    sums: { transfer: sum('transfer'), credential, tenant, installation: sum('installation') },
    isWhole: row.isWhole,
  };
}

export function insertAlone(
  tx: Tx,
  { subject, tenantId, decidedBy, at, amount, currency }: Alone,
  { worth, rate, base: baseCurrency }: { worth: Decimal; rate: Decimal; base: string },
): void {
  const about = { subject, tenantId, decidedBy, day: dayOf(at), amount: amount.toFixed(), currency };
  const counted = { rate: rate.toFixed(), worth: worth.toFixed(), baseCurrency };
  tx.defer(table('decided_alone').insert({ ...about, ...counted }));
}
