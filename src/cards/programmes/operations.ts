import {
  type OpenedAccount,
  openMasterAccount,
  openMasterAccounts,
} from '../../accounts/accounts/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { alreadyExists, conflict, invalid, notFound } from '../../kernel/errors';
import { isCurrency } from '../../kernel/money/currencies';
import { type Decimal, fitsCurrency } from '../../kernel/money/money';
import { isCountry } from '../../kernel/wire/countries';
import { assertFits } from '../../kernel/wire/schemas';
import type { Bin, Programme, ProgrammeLimits } from './record';
import {
  disabledBinsOf,
  findAdmittedBin,
  insertBin,
  insertTenantBin,
  insertTenantDemoBins,
  listAdmittedBins,
  lockBin,
  readBins,
  updateBin,
  updateProgrammeLimits,
  upsertUserBin,
} from './store';

export { ensureDemoBins } from './demo';
export type { Bin, Programme, ProgrammeLimits } from './record';
export { disabledBinsOf, listAdmittedBins, lockBin, readBins } from './store';

/** Opens the master accounts of a new client. In the sandbox, also admits the client to all demo BINs. */
export async function provideForClient(tx: Tx, clientId: string, sandbox: boolean): Promise<void> {
  await openMasterAccounts(tx, clientId);
  if (sandbox) await insertTenantDemoBins(tx, clientId);
}

/**
 * Admits a tenant to a BIN and opens the master account of its currency, which pays the fees of its cards.
 * @returns the master account
 * @throws Problem 404 when there is no such BIN
 */
export async function admitToBin(tx: Tx, tenantId: string, bin: string): Promise<OpenedAccount> {
  const [found] = await readBins(tx, [bin]);
  if (!found) throw notFound('bin', 'bin');
  await insertTenantBin(tx, tenantId, bin);
  return openMasterAccount(tx, tenantId, found.currency);
}

/**
 * The fields of a BIN that an operator may change. Currency, model and fees are fixed, because cards were issued on
 * them.
 */
export type BinChange = Partial<Pick<Bin, 'status' | 'capacityPerCardholder'>>;

/**
 * Opens or closes a BIN, or changes how many cards a cardholder may have. A closed BIN admits no new cardholder and no
 * new card; its cards go on working.
 * @returns the BIN before and after
 * @throws Problem 404; 400 naming the field
 */
export async function changeBin(
  tx: Tx,
  bin: string,
  change: BinChange,
): Promise<{ before: Bin; after: Bin }> {
  const before = await lockBin(tx, bin);
  if (!before) throw notFound('bin', 'bin');
  const after = { ...before, ...change };
  assertCapacity(after);
  await updateBin(tx, after);
  return { before, after };
}

export function assertCapacity({ capacityPerCardholder }: Bin): void {
  if (!Number.isInteger(capacityPerCardholder) || capacityPerCardholder < 1)
    throw invalid('capacityPerCardholder must be at least 1.', 'capacityPerCardholder');
}

/**
 * Adds a BIN and its programme; an operator's command. No tenant is admitted to the BIN yet.
 * @throws Problem 400 naming the field that is wrong; `ErrAlreadyExists` when the BIN is known
 */
export async function addBin(tx: Tx, bin: Bin): Promise<Bin> {
  assertProgramme(bin);
  if (!(await insertBin(tx, bin))) throw binExists();
  return bin;
}

export const binExists = () => alreadyExists('This BIN exists already.', 'bin');

/** @throws Problem 400 naming the field that is wrong */
export function assertProgramme(bin: Bin): void {
  if (!/^\d{6,8}$/.test(bin.bin)) throw invalid('bin must have 6 to 8 digits.', 'bin');
  if (!isCurrency(bin.currency)) throw invalid('currency must be a known currency code.', 'currency');
  assertCapacity(bin);
  for (const [field, fee] of Object.entries<Decimal>({ ...bin.fees })) {
    if (fee.lt(0)) throw invalid(`${field} must not be negative.`, field);
    if (field !== 'settlePercent' && !fitsCurrency(fee, bin.currency))
      throw invalid(`${field} has more decimals than ${bin.currency} allows.`, field);
  }
  assertLimits(bin, bin.currency);
}

/**
 * Replaces the limits that a programme sets for each card; an operator's command. Processes apply them within five
 * seconds.
 * @throws Problem 404, 400 naming the field
 */
export async function setProgrammeLimits(
  tx: Tx,
  bin: string,
  limits: ProgrammeLimits,
): Promise<{ before: Bin; after: Bin }> {
  const [before] = await readBins(tx, [bin]);
  if (!before) throw notFound('bin', 'bin');
  assertLimits(limits, before.currency);
  await updateProgrammeLimits(tx, bin, limits);
  return { before, after: { ...before, ...limits } };
}

/** @throws Problem 400 naming the field */
export function assertLimits(limits: ProgrammeLimits, currency: string): void {
  const { maxAuthorization, maxPerDay, maxPerMonth, challengeAbove } = limits;
  const { blockedMccs, allowedMccs, blockedCountries, homeCountries } = limits;
  for (const [field, amount] of Object.entries({
    maxAuthorization,
    maxPerDay,
    maxPerMonth,
    challengeAbove,
  })) {
    if (amount?.lte(0)) throw invalid(`${field} must be greater than zero.`, field);
    if (amount) assertFits(amount, currency, field);
  }
  for (const [field, mccs] of Object.entries({ blockedMccs, allowedMccs }))
    if (!mccs.every((mcc) => /^\d{4}$/.test(mcc)))
      throw invalid(`${field} must hold categories of four digits.`, field);
  const both = allowedMccs.find((mcc) => blockedMccs.includes(mcc));
  if (both !== undefined)
    throw invalid(`allowedMccs must not name ${both}, which is blocked.`, 'allowedMccs');
  for (const [field, countries] of Object.entries({ blockedCountries, homeCountries }))
    if (!countries.every(isCountry)) throw invalid(`${field} must hold country codes such as GB.`, field);
}

/** All BINs of the installation. */
export const listBins = (sql: Sql): Promise<Bin[]> => listAdmittedBins(sql, null);

/** @throws Problem 404 when the BIN is unknown or the tenant may not issue on it */
export async function requireAdmittedBin(
  sql: Sql,
  tenantId: string | null,
  bin: string,
  field?: string,
): Promise<Bin> {
  const found = await findAdmittedBin(sql, tenantId, bin);
  if (!found) throw notFound('bin', field);
  return found;
}

/** @throws Problem 409 `bin_closed` when the BIN is closed or disabled for the user */
export async function assertBinOpen(sql: Sql, bin: Bin, userId: string): Promise<void> {
  if (bin.status === 'closed') throw conflict('bin_closed', 'The BIN is closed.', 'bin');
  const disabled = await disabledBinsOf(sql, [userId]);
  if (disabled.get(userId)?.has(bin.bin))
    throw conflict('bin_closed', 'The BIN is disabled for this user.', 'bin');
}

/**
 * The BIN, when a card or a cardholder may be created on it for the user.
 * @throws Problem 404 when the BIN is unknown or the tenant is not admitted, 409 `bin_closed` when it is closed or
 * disabled for the user
 */
export async function requireIssuableBin(
  sql: Sql,
  tenantId: string,
  userId: string,
  bin: string,
): Promise<Bin> {
  const found = await requireAdmittedBin(sql, tenantId, bin, 'bin');
  await assertBinOpen(sql, found, userId);
  return found;
}

/**
 * Enables or disables a BIN for a user.
 * @returns whether the user had no setting for it before
 * @throws Problem 404 when the tenant may not issue on the BIN
 */
export async function setUserBin(
  tx: Tx,
  user: { id: string; tenantId: string },
  bin: string,
  enabled: boolean,
): Promise<boolean> {
  await requireAdmittedBin(tx, user.tenantId, bin, 'bin');
  return upsertUserBin(tx, user.id, bin, enabled);
}

/** The programmes of BINs, by BIN. An unknown BIN is missing. */
export async function findProgrammes(sql: Sql, bins: string[]): Promise<Map<string, Programme>> {
  const found = await readBins(sql, [...new Set(bins)]);
  return new Map(found.map((bin) => [bin.bin, bin]));
}
