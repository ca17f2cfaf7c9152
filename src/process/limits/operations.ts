import { randomUUID } from 'node:crypto';
import { audit } from '../../kernel/audit/audit';
import type { Sql, Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { Decimal, formatAmount, roundTo } from '../../kernel/money/money';
import { countingRate } from './rates';
import type { Alone, Limits, SumName, Sums, TakesTwo, Weight } from './record';
import {
  insertAlone,
  insertSetting,
  lockSetting,
  readSettings,
  type SettingName,
  sumsUnderLock,
  updateSetting,
} from './store';

export type { Alone, Limits, TakesTwo, Weight } from './record';

/** Limits in a process's configuration, in the base currency. */
export interface GivenLimits {
  credential?: Decimal | undefined;
  tenant?: Decimal | undefined;
  installation?: Decimal | undefined;
  base?: string | undefined;
  dualControl?: 'on' | 'off' | undefined;
  /** Amount that a new tenant may pay out in a UTC day without an operator. */
  newTenantDaily?: Decimal | undefined;
  /** Hours for which a new destination of a new tenant's payouts rests. */
  newDestinationHours?: number | undefined;
}

/** Defaults, until a process has a configured value. */
const DEFAULTS = { admin_limit: '1000000', base_currency: 'USD', dual_control: 'off' } as const;
/** The default limit of the installation, as a multiple of the limit of one credential. */
const INSTALLATION_FACTOR = 5;

/**
 * Stores the limits that a process was started with, for all processes and the command line. Missing values stay as
 * they are.
 * @param by the actor in the audit log
 */
export async function keepLimits(tx: Tx, given: GivenLimits, by: string): Promise<void> {
  await keep(tx, by, {
    name: 'admin_limit',
    given: given.credential?.toFixed(),
    first: DEFAULTS.admin_limit,
  });
  await keep(tx, by, { name: 'admin_tenant_limit', given: given.tenant?.toFixed() });
  await keep(tx, by, { name: 'admin_installation_limit', given: given.installation?.toFixed() });
  await keep(tx, by, { name: 'base_currency', given: given.base, first: DEFAULTS.base_currency });
  await keep(tx, by, { name: 'dual_control', given: given.dualControl, first: DEFAULTS.dual_control });
  await keep(tx, by, { name: 'new_tenant_daily_limit', given: given.newTenantDaily?.toFixed() });
  await keep(tx, by, { name: 'new_destination_hours', given: given.newDestinationHours?.toString() });
}

async function keep(
  tx: Tx,
  by: string,
  { name, given, first }: { name: SettingName; given: string | undefined; first?: string },
): Promise<void> {
  const value = given ?? first;
  if (value === undefined) return;
  if (await insertSetting(tx, name, value))
    return writeDown(tx, by, { name, before: undefined, after: value });
  if (given === undefined) return;
  const before = await lockSetting(tx, name);
  if (before === given) return;
  await updateSetting(tx, name, given, new Date());
  await writeDown(tx, by, { name, before, after: given });
}

/** Names in the audit log of the settings that are no limits. */
const FIELDS: Partial<Record<SettingName, string>> = {
  base_currency: 'currency',
  dual_control: 'dualControl',
  new_destination_hours: 'hours',
};

function writeDown(
  tx: Tx,
  by: string,
  { name, before, after }: { name: SettingName; before: string | undefined; after: string },
): Promise<void> {
  const field = FIELDS[name] ?? 'limit';
  return audit(tx, {
    caller: { tenantId: by, role: 'admin' },
    requestId: randomUUID(),
    tenantId: null,
    action: `installation.${name.replaceAll('_', '-')}`,
    subject: '',
    before: before && { [field]: before },
    after: { [field]: after },
  });
}

/** @returns null until a process has stored the limits */
export async function readLimits(sql: Sql): Promise<Limits | null> {
  const stored = await readSettings(sql);
  if (stored.admin_limit === undefined) return null;
  const credential = new Decimal(stored.admin_limit);
  return {
    base: stored.base_currency ?? DEFAULTS.base_currency,
    credential,
    tenant: new Decimal(stored.admin_tenant_limit ?? credential),
    installation: new Decimal(stored.admin_installation_limit ?? credential.times(INSTALLATION_FACTOR)),
  };
}

/** Settings of a new tenant. Absent where no process has a value. */
export interface NewTenantLimits {
  /** A decimal, in the base currency. */
  daily: string | undefined;
  destinationHours: number | undefined;
  base: string;
}

export async function readNewTenantLimits(sql: Sql): Promise<NewTenantLimits> {
  const stored = await readSettings(sql);
  const hours = stored.new_destination_hours;
  return {
    daily: stored.new_tenant_daily_limit,
    destinationHours: hours === undefined ? undefined : Number(hours),
    base: stored.base_currency ?? DEFAULTS.base_currency,
  };
}

/**
 * Whether two people must approve changes of configurations, and credits from a chain above the limit. True until a
 * process has stored the setting.
 */
export const isDualControlled = async (sql: Sql): Promise<boolean> =>
  (await readSettings(sql)).dual_control !== 'off';

const limitsOfSums = ({ credential, tenant, installation }: Limits): Sums => ({
  transfer: credential,
  credential,
  tenant,
  installation,
});

/**
 * Weighs a decision against the present limits, rates and sums. A lock keeps the sums until the transaction ends, so
 * that a concurrent decision cannot exceed a limit together with this one. Call it before any account or transfer is
 * locked.
 */
export async function weighAlone(tx: Tx, alone: Alone): Promise<Weight> {
  const limits = await readLimits(tx);
  if (limits === null) return { alone, limits, worth: null, takesTwo: { why: 'no_limit' } };
  const { currency: from, at } = alone;
  const [{ sums, isWhole }, rate] = await Promise.all([
    sumsUnderLock(tx, alone, limits),
    countingRate(tx, { from, to: limits.base, at }),
  ]);
  if (rate === undefined) return { alone, limits, worth: null, takesTwo: { why: 'no_rate' } };
  const worth = { amount: alone.amount.times(rate), rate };
  const takesTwo = isWhole ? exceeded(alone, limits, sums, worth.amount) : ({ why: 'no_rate' } as const);
  return { alone, limits, worth, takesTwo };
}

/** Whether an amount alone exceeds the limit of one credential, or cannot be converted. */
export async function isAboveLimit(
  sql: Sql,
  { amount, currency: from, at }: Pick<Alone, 'amount' | 'currency' | 'at'>,
): Promise<boolean> {
  const limits = await readLimits(sql);
  const rate = limits && (await countingRate(sql, { from, to: limits.base, at }));
  return !limits || !rate || amount.times(rate).gt(limits.credential);
}

const NAMES: readonly SumName[] = ['transfer', 'credential', 'tenant', 'installation'];

function exceeded({ tenantId }: Alone, limits: Limits, sums: Sums, worth: Decimal): TakesTwo | null {
  const limitOf = limitsOfSums(limits);
  const counted = NAMES.filter((name) => name !== 'tenant' || tenantId !== null);
  const of = counted.find((name) => sums[name].plus(worth).gt(limitOf[name]));
  return of === undefined
    ? null
    : { why: 'above', of, sum: sums[of].plus(worth), limit: limitOf[of], base: limits.base };
}

/**
 * Adds a decision of this transaction to the sums.
 * @returns the limit of one credential in force, for the audit log
 * @throws Problem 409 `limit_exceeded` for a decision that needs two people
 */
export function countAlone(tx: Tx, { alone, limits, worth, takesTwo }: Weight): string | null {
  if (takesTwo !== null || limits === null || worth === null)
    throw conflict(
      'limit_exceeded',
      `Two operators must approve it, at the command line. ${whyTwo(takesTwo)}`.trimEnd(),
      'amount',
    );
  insertAlone(tx, alone, { worth: worth.amount, rate: worth.rate, base: limits.base });
  return limitText(limits);
}

const SUM_WORDS: Record<SumName, string> = {
  transfer: 'of this transfer',
  credential: 'of this credential',
  tenant: 'of the tenant',
  installation: 'of the installation',
};

/** The reason in words. */
export function whyTwo(reason: TakesTwo | null): string {
  if (reason === null || reason.why === 'always') return '';
  if (reason.why === 'no_limit')
    return 'No limit is known: no API or worker of this release has started on this database yet.';
  if (reason.why === 'no_rate') return 'There is no fresh rate to convert the amount.';
  const { of, sum, limit, base } = reason;
  return `The sum ${SUM_WORDS[of]} would be ${shown(sum, base)}; the limit is ${limit.toFixed()} ${base}.`;
}

/** Rounded up, so that a sum above its limit does not look equal to it. */
const shown = (sum: Decimal, base: string): string =>
  `${formatAmount(roundTo(sum, base, Decimal.ROUND_UP), base)} ${base}`;

/** The limit in the audit log, beside a decision. */
export const limitText = (limits: Limits | null): string | null => limits?.credential.toFixed() ?? null;

/** The reason in the audit log, where a decision needs two people. */
export const reasonText = (reason: TakesTwo): object =>
  reason.why === 'above'
    ? { why: reason.why, of: reason.of, sum: reason.sum.toFixed(), above: reason.limit.toFixed() }
    : reason;
