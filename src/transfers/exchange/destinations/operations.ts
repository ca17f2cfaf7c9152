import { createHmac } from 'node:crypto';
import type { Sql, Tx } from '../../../kernel/db/database';
import { alreadyExists, conflict, invalid, notFound } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { ensureInternalAccounts } from '../../../kernel/ledger/accounts';
import { isFiat } from '../../../kernel/money/currencies';
import type { Keyring } from '../../../kernel/security/keyring';
import type { BankDestination } from '../../../parties/exchange/port';
import type { Services } from '../../../services';
import { requireTenant } from '../../../tenants/clients/operations';
import { checkDestination, maskDestination } from '../../payouts/destinations/destination';
import { openDestination, sealDestination } from '../../payouts/destinations/sealing';
import { statusAt, type WithdrawalDestination } from './record';
import { findDestination, findSealed, insertDestination, updateDestination } from './store';

export { findDestination, findDestinations, listDestinations } from './store';

/** A new destination waits: whoever has come by an operator's secret gets no money out before others may see it. */
const WAITS_MS = 24 * 3_600_000;

const SEALED_FOR = 'withdrawal-destinations';

export interface AddDestination {
  tenantId: string;
  currency: string;
  /** A bank account, not checked yet. */
  bank: BankDestination;
  label?: string | undefined;
  /** `operator:<name>`. */
  by: string;
}

/**
 * Adds a bank account to a tenant's allow-list; it may be used a day later.
 * @throws Problem 404 for the tenant; 400 naming `currency`, `iban`, `accountNumber`, `bic`, `country` or `name`, and `iban` or
 *   `accountNumber` as `ErrAlreadyExists` where the tenant has that account in that currency
 */
export async function addDestination(
  { keyring, now }: Pick<Services, 'keyring' | 'now'>,
  tx: Tx,
  { tenantId, currency, bank, label, by }: AddDestination,
): Promise<WithdrawalDestination> {
  await requireTenant(tx, tenantId);
  if (!isFiat(currency)) throw invalid('currency must be one that banks deal in.', 'currency');
  const destination = checkDestination('swift', bank, currency);
  const [id, createdAt] = [newId('withdrawalDestination'), now()];
  const made = await insertDestination(tx, {
    ...{ id, tenantId, currency, createdAt, label: label ?? null, addedBy: by },
    destination: sealDestination(keyring, SEALED_FOR, destination, id),
    destinationMasked: maskDestination(destination),
    accountHash: hashOf(keyring, currency, destination),
    activeFrom: new Date(createdAt.getTime() + WAITS_MS),
  });
  if (!made) {
    const field = destination.iban === undefined ? 'accountNumber' : 'iban';
    throw alreadyExists('The client has this destination in this currency.', field);
  }
  // The exchange's own accounts among them: a withdrawal posts to them long after it was accepted.
  await ensureInternalAccounts(tx, currency);
  return made;
}

/** Of what an account is known by; one of another currency is another. A BIC that ends in XXX is the head office's (ISO 9362). */
const hashOf = (
  keyring: Keyring,
  currency: string,
  { iban, accountNumber, bic }: Partial<BankDestination>,
): Buffer =>
  createHmac('sha256', keyring.secretFor(SEALED_FOR))
    .update(JSON.stringify([currency, iban ?? [accountNumber, bic?.replace(/^(.{8})XXX$/, '$1')]]))
    .digest();

/**
 * @param field of the request that names it
 * @param lock `share` where a withdrawal is made: it is not disabled meanwhile
 * @throws Problem 404
 */
export async function requireDestination(
  sql: Sql,
  reach: string | null,
  id: string,
  { field, lock }: { field?: string; lock?: 'share' | 'update' } = {},
): Promise<WithdrawalDestination> {
  const found = await findDestination(sql, reach, id, lock);
  if (!found) throw notFound('destination', field);
  return found;
}

/** @throws Problem 409 `invalid_transition` for one that is disabled, or may not be used yet */
export function assertUsable(destination: WithdrawalDestination, at: Date, field: string): void {
  const status = statusAt(destination, at);
  if (status === 'active') return;
  const why =
    status === 'disabled' ? 'is disabled' : `may be used from ${destination.activeFrom.toISOString()} on`;
  throw conflict('invalid_transition', `The destination ${why}.`, field);
}

/** Who changes one, and when. */
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
  /** Another operator could: then who added it does not. */
  othersCan: boolean;
}

/**
 * Lets it be used at once. It takes two as soon as two can: who added it does not let it in.
 * @throws Problem 404; 409 `invalid_transition` for one that does not wait, or by who added it
 */
export async function waiveDestination(tx: Tx, { id, by, at, othersCan }: Waive): Promise<Changed> {
  const before = await requireDestination(tx, null, id, { lock: 'update' });
  const status = statusAt(before, at);
  if (status !== 'pending') throw conflict('invalid_transition', `The destination is ${status}.`);
  if (othersCan && before.addedBy === by)
    throw conflict('invalid_transition', 'Who added it cannot waive its time: that takes another operator.');
  return { before, after: await updateDestination(tx, id, { activeFrom: at, waivedAt: at, waivedBy: by }) };
}

/** For ever: it would have to be added anew. @throws Problem 404; 409 `invalid_transition` */
export async function shutDestination(tx: Tx, { id, by, at }: Change): Promise<Changed> {
  const before = await requireDestination(tx, null, id, { lock: 'update' });
  if (before.disabledAt !== null) throw conflict('invalid_transition', 'The destination is disabled.');
  return { before, after: await updateDestination(tx, id, { disabledAt: at, disabledBy: by }) };
}

/** For the moment of ordering, or for whoever approves: never to be logged, returned to a workflow, or kept. */
export async function bankOf(sql: Sql, keyring: Keyring, id: string): Promise<BankDestination> {
  const { name = '', ...rest } = openDestination(keyring, SEALED_FOR, await findSealed(sql, id), id);
  return { name, ...rest };
}
