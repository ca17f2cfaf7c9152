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

/** What a process may be told of the limits; in the base currency. */
export interface GivenLimits {
  credential?: Decimal | undefined;
  tenant?: Decimal | undefined;
  installation?: Decimal | undefined;
  base?: string | undefined;
  dualControl?: 'on' | 'off' | undefined;
}

/** Where no process was ever told another one. */
const DEFAULTS = { admin_limit: '1000000', base_currency: 'USD', dual_control: 'off' } as const;
/** Of the limit of one credential, where the installation's own was never told. */
const INSTALLATION_FACTOR = 5;

/**
 * Keeps the limits that a process was started with: the installation's from now on, for every process and the command line.
 * What it was not told stays as it is.
 * @param by as the audit log names it
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

/** As the audit log calls what is no limit. */
const FIELDS: Partial<Record<SettingName, string>> = {
  base_currency: 'currency',
  dual_control: 'dualControl',
};

function writeDown(
  tx: Tx,
  by: string,
  { name, before, after }: { name: SettingName; before: string | undefined; after: string },
): Promise<void> {
  const field = FIELDS[name] ?? 'limit';
  return audit(tx, {
    ...{ caller: { tenantId: by, role: 'admin' }, requestId: randomUUID(), tenantId: null },
    ...{ action: `installation.${name.replaceAll('_', '-')}`, subject: '' },
    before: before && { [field]: before },
    after: { [field]: after },
  });
}

/** @returns nothing where no process has ever told one */
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

/** Whether changes of configurations, and credits from a chain above the limit, take two people. Until a process has told, they do. */
export const isDualControlled = async (sql: Sql): Promise<boolean> =>
  (await readSettings(sql)).dual_control !== 'off';

/** Which limit each sum has. */
const limitsOfSums = ({ credential, tenant, installation }: Limits): Sums => ({
  transfer: credential,
  ...{ credential, tenant, installation },
});

/**
 * Whether it takes two, by the limits, rates and sums of now. The sums stand still until the transaction ends, so whoever counts
 * it and carries it out in this one is not overtaken. Called before any account or transfer is locked.
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

/** Whether an amount by itself is above the limit of one credential, or cannot be counted. */
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
 * Adds what is carried out in this transaction to the sums.
 * @returns the limit of one credential that it was judged by, for the audit log
 * @throws Problem 409 `limit_exceeded` for what takes two
 */
export function countAlone(tx: Tx, { alone, limits, worth, takesTwo }: Weight): string | null {
  if (takesTwo !== null || limits === null || worth === null)
    throw conflict(
      'limit_exceeded',
      `It takes two operators, at the command line. ${whyTwo(takesTwo)}`.trimEnd(),
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
  if (reason.why === 'no_rate') return 'No fresh rate is known to count it by.';
  const { of, sum, limit, base } = reason;
  return `The sum ${SUM_WORDS[of]} comes to ${shown(sum, base)}; the limit is ${limit.toFixed()} ${base}.`;
}

/** Rounded up, so that a sum above its limit does not look equal to it. */
const shown = (sum: Decimal, base: string): string =>
  `${formatAmount(roundTo(sum, base, Decimal.ROUND_UP), base)} ${base}`;

/** As the audit log keeps it beside what was decided by it. */
export const limitText = (limits: Limits | null): string | null => limits?.credential.toFixed() ?? null;

/** As the audit log keeps why it takes two. */
export const reasonText = (reason: TakesTwo): object =>
  reason.why === 'above'
    ? { why: reason.why, of: reason.of, sum: reason.sum.toFixed(), above: reason.limit.toFixed() }
    : reason;
