import { type Locking } from '../../../kernel/db/build';
import type { Sql, Tx } from '../../../kernel/db/database';
import { alreadyExists, conflict, invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { isFiat } from '../../../kernel/money/currencies';
import type { Keyring } from '../../../kernel/security/keyring';
import type { BankDestination } from '../../../parties/exchange/port';
import type { Destination } from '../../../parties/payouts/port';
import type { Services } from '../../../services';
import { requireTenant } from '../../../tenants/clients/operations';
import { checkDestination, maskDestination } from '../../payouts/destinations/destination';
import { bankFingerprint } from '../../payouts/destinations/fingerprint';
import { openDestination, sealDestination } from '../../payouts/destinations/sealing';
import { statusAt, type WithdrawalDestination } from './record';
import { findDestination, findSealed, hasAccount, insertDestination, updateDestination } from './store';

export { findDestination, findDestinations, listDestinations, pageOfDestinations } from './store';

/**
 * Waiting time of a new destination. Others can then notice it before a stolen operator's secret gets any money out.
 */
const WAITS_MS = 24 * 3_600_000;

export interface AddDestination {
  tenantId: string;
  currency: string;
  /** A bank account that is not checked yet. */
  bank: BankDestination;
  label?: string | undefined;
  /** `operator:<name>`. */
  by: string;
}

/** A bank account as {@link addDestination} would add it. */
interface CheckedDestination {
  destination: Destination;
  masked: Destination;
  accountHash: Buffer;
  createdAt: Date;
  activeFrom: Date;
}

/** Checks a bank account. Changes nothing. @throws Problem as {@link addDestination} */
export async function judgeDestination(
  { keyring, now }: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  { tenantId, currency, bank }: AddDestination,
): Promise<CheckedDestination> {
  await requireTenant(tx, tenantId);
  if (!isFiat(currency)) throw invalid('currency must be a fiat currency.', 'currency');
  const destination = checkDestination('swift', bank, currency);
  const accountHash = bankFingerprint(keyring, currency, destination);
  if (await hasAccount(tx, tenantId, accountHash)) throw knownAccount(destination);
  const createdAt = now();
  const activeFrom = new Date(createdAt.getTime() + WAITS_MS);
  return { destination, masked: maskDestination(destination), accountHash, createdAt, activeFrom };
}

const knownAccount = ({ iban }: Destination) =>
  alreadyExists(
    'The client has this destination in this currency.',
    iban === undefined ? 'accountNumber' : 'iban',
  );

/**
 * Adds a bank account to a tenant's allow-list. It may be used a day later.
 * @throws Problem 404 for the tenant; 400 naming `currency`, `iban`, `accountNumber`, `bic`, `country` or `name`;
 * `ErrAlreadyExists` on `iban` or `accountNumber` where the tenant has that account in that currency
 */
export async function addDestination(
  services: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  given: AddDestination,
): Promise<WithdrawalDestination> {
  const { tenantId, currency, label, by } = given;
  const { destination, masked, ...checked } = await judgeDestination(services, tx, given);
  const id = newId('withdrawalDestination');
  const made = await insertDestination(tx, {
    id,
    tenantId,
    currency,
    ...checked,
    label: label ?? null,
    addedBy: by,
    destination: sealDestination(services.keyring, undefined, destination, id),
    destinationMasked: masked,
  });
  // Another operator has added it in the meantime.
  if (!made) throw knownAccount(destination);
  // Opens the exchange's internal accounts too, because a withdrawal posts to them long after it was accepted.
  await ensureInternalAccounts(tx, currency);
  return made;
}

/**
 * @param field of the request that names it
 * @param lock `share` where a withdrawal is made, so that the destination is not disabled meanwhile
 * @throws Problem 404
 */
export async function requireDestination(
  sql: Sql,
  reach: string | null,
  id: string,
  { field, ...locking }: Locking & { field?: string } = {},
): Promise<WithdrawalDestination> {
  const found = await findDestination(sql, reach, id, locking);
  if (!found) throw notFound('destination', field);
  return found;
}

/** @throws Problem 409 `invalid_transition` for a destination that is disabled or not active yet */
export function assertUsable(destination: WithdrawalDestination, at: Date, field: string): void {
  const status = statusAt(destination, at);
  if (status === 'active') return;
  const why =
    status === 'disabled' ? 'is disabled' : `may be used from ${destination.activeFrom.toISOString()} on`;
  throw conflict('invalid_transition', `The destination ${why}.`, field);
}

/** Who changes a destination, and when. */
export interface Change {
  id: string;
  by: string;
  at: Date;
}

interface Changed {
  before: WithdrawalDestination;
  after: WithdrawalDestination;
}

export interface Waive extends Change {
  /** Whether another operator must decide, because this one, or one of his hand, has added the destination. */
  byAnother: boolean;
}

/**
 * Activates a destination before its time. Where several operators exist, the one who added it may not.
 * @throws Problem 404; 409 `invalid_transition` for a destination that does not wait, or by the operator who added it
 */
export async function waiveDestination(tx: Tx, { id, by, at, byAnother }: Waive): Promise<Changed> {
  const before = await requireDestination(tx, null, id, { lock: 'update' });
  assertWaivable(before, { at, byAnother });
  return { before, after: await updateDestination(tx, id, { activeFrom: at, waivedAt: at, waivedBy: by }) };
}

/** @throws Problem 409 as {@link waiveDestination} */
export function assertWaivable(
  destination: WithdrawalDestination,
  { at, byAnother }: Pick<Waive, 'at' | 'byAnother'>,
): void {
  const status = statusAt(destination, at);
  if (status !== 'pending') throw conflict('invalid_transition', `The destination is ${status}.`);
  if (byAnother)
    throw conflict(
      'invalid_transition',
      'The operator who added the destination cannot waive its waiting time, nor can one whom that operator invited.',
    );
}

/**
 * Disables a destination for ever. To use it again, an operator adds it anew.
 * @throws Problem 404; 409 `invalid_transition`
 */
export async function markDestinationDisabled(tx: Tx, { id, by, at }: Change): Promise<Changed> {
  const before = await requireDestination(tx, null, id, { lock: 'update' });
  assertEnabled(before);
  return { before, after: await updateDestination(tx, id, { disabledAt: at, disabledBy: by }) };
}

/** @throws Problem 409 `invalid_transition` */
export function assertEnabled({ disabledAt }: WithdrawalDestination): void {
  if (disabledAt !== null) throw conflict('invalid_transition', 'The destination is disabled.');
}

/**
 * Opens the bank details, for the order to the party or for an approver. Never log or store them, and never return
 * them to a workflow.
 */
export async function bankOf(sql: Sql, keyring: Keyring, id: string): Promise<BankDestination> {
  const { name = '', ...rest } = openDestination(keyring, undefined, await findSealed(sql, id), id);
  return { name, ...rest };
}
