import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Sql, Tx } from '../../kernel/db/database';
import { clientDisabled, forbidden, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { appendEvents } from '../../kernel/outbox/events';
import type { Keyring } from '../../kernel/security/keyring';
import { endStop, forgetStop, noteStop } from '../../process/stops/operations';
import type { Stopping } from '../../process/stops/record';
import { secretRotatedEvent } from './events';
import { type Tenant } from './record';
import { DEMO_RATE_LIMIT, type SettingsSection } from './settings';
import {
  endSecrets,
  findTenant,
  insertCredential,
  insertTenant,
  liveSecrets,
  lockTenant,
  readAccess,
  signingSecrets,
  statusOf,
  updateStatus,
} from './store';

export { listTenants, updateSettings } from './store';

export interface NewCredential {
  clientId: string;
  /** 256 bits in base64url. Shown only once. */
  clientSecret: string;
}

/** A credential that is stored later or never. The secret is sealed under the client's id. */
export interface PreparedCredential {
  credential: NewCredential;
  sealed: Buffer;
}

/**
 * Creates a secret without storing it. It authenticates after {@link createClient} or {@link rotateSecret} has stored
 * it.
 */
export function prepareCredential(keyring: Keyring, clientId = newId('tenant')): PreparedCredential {
  const clientSecret = randomBytes(32).toString('base64url');
  const sealed = keyring.seal(Buffer.from(clientSecret), sealContext(clientId));
  return { credential: { clientId, clientSecret }, sealed };
}

export interface NewClient {
  name: string;
  role: 'client' | 'admin';
  /** The operator to whom an admin belongs. Absent: it names nobody. */
  operatorId?: string | undefined;
  /** Settings that differ from the defaults. */
  settings?: object;
  sandbox: boolean;
  /** Creates the initial data of a tenant: accounts and, in the sandbox, BINs. */
  provide(tx: Tx, clientId: string, sandbox: boolean): Promise<void>;
}

/**
 * Creates a tenant with its first secret, master accounts in USD, EUR and GBP and, in the sandbox, all demo BINs. An
 * `admin` gets neither accounts nor BINs, because it acts on other tenants' records.
 * @param prepared id and sealed secret; created when absent
 */
export async function createClient(
  tx: Tx,
  keyring: Keyring,
  given: NewClient,
  prepared: Stored = storable(prepareCredential(keyring)),
): Promise<NewCredential> {
  const { clientId } = prepared;
  await insertTenant(tx, {
    id: clientId,
    name: given.name,
    role: given.role,
    operatorId: given.operatorId ?? null,
    settings: { ...(given.sandbox ? { rateLimit: DEMO_RATE_LIMIT } : {}), ...given.settings },
  });
  if (given.role === 'client') await given.provide(tx, clientId, given.sandbox);
  return storeSecret(tx, keyring, prepared);
}

/** The stored part of a prepared credential. */
interface Stored {
  clientId: string;
  sealed: Buffer;
  /** `operator:<name>`: who has seen the secret. Absent: the tenant alone. */
  shownTo?: string | null | undefined;
}

const storable = ({ credential: { clientId }, sealed }: PreparedCredential): Stored => ({ clientId, sealed });

async function storeSecret(
  tx: Tx,
  keyring: Keyring,
  { clientId, sealed, shownTo = null }: Stored,
): Promise<NewCredential> {
  const clientSecret = keyring.open(sealed, sealContext(clientId)).toString();
  const secretHash = keyring.hashSecret(clientSecret);
  await insertCredential(tx, { tenantId: clientId, secretHash, secretSealed: sealed, shownTo });
  return { clientId, clientSecret };
}

/** Numbers of the valid secrets, for the audit log. Never the secrets themselves. */
export interface SecretNumbers {
  current: string | null;
  inOverlap: { id: string; endsAt: string }[];
}

/** Valid secrets before and after a change. */
export interface SecretChange {
  before: SecretNumbers;
  after: SecretNumbers;
}

export interface Rotation extends SecretChange {
  /** `overlapEndsAt` is null when no current secret was left, after `revokeSecrets` of all. */
  credential: NewCredential & { overlapEndsAt: string | null };
}

/**
 * Replaces the current secret. The new secret signs webhooks at once, and the old one authenticates until the overlap
 * ends. A secret that was still in its overlap ends now, so at most two are valid (decisions part 1, Credentials). The
 * tenant's webhook is told.
 * @param overlapSeconds 0 ends all other secrets now
 * @param given.by number of the caller's secret, which must be the current one; absent for the operator
 * @param given.sealed the new secret, if it was prepared
 * @param given.at time of the event
 * @param given.shownTo `operator:<name>`, who has seen it; absent for the tenant itself
 * @throws Problem 403 when `by` is not current, for example because another rotation won; 401 for a disabled tenant;
 *   404
 */
export async function rotateSecret(
  tx: Tx,
  keyring: Keyring,
  clientId: string,
  overlapSeconds: number,
  {
    by,
    sealed = prepareCredential(keyring, clientId).sealed,
    at = new Date(),
    shownTo,
  }: { by?: string; sealed?: Buffer; at?: Date; shownTo?: string } = {},
): Promise<Rotation> {
  const { status } = await lockedTenant(tx, clientId);
  if (by !== undefined && status !== 'active') throw clientDisabled();
  const before = await secretNumbersOf(tx, clientId);
  if (by !== undefined && by !== before.current)
    throw forbidden('Only the current secret may rotate, and this secret has been replaced.');
  const ended = await endSecrets(tx, clientId, overlapSeconds);
  const credential = await storeSecret(tx, keyring, { clientId, sealed, shownTo });
  const overlapEndsAt = ended.find(({ id }) => id === before.current)?.endsAt.toISOString() ?? null;
  await appendEvents(tx, [secretRotatedEvent(clientId, overlapEndsAt, at)]);
  const after = await secretNumbersOf(tx, clientId);
  return { credential: { ...credential, overlapEndsAt }, before, after };
}

/**
 * Ends secrets in their overlap now. With `all`, ends the current one too, so the tenant cannot authenticate until the
 * operator rotates. Webhooks continue to be signed with the newest secret, because receivers verify with it. A thief
 * learns nothing new from signatures.
 * @throws Problem 404 for an unknown tenant
 */
export async function revokeSecrets(tx: Tx, clientId: string, all: boolean): Promise<SecretChange> {
  await lockedTenant(tx, clientId);
  const before = await secretNumbersOf(tx, clientId);
  await endSecrets(tx, clientId, all ? 0 : null);
  return { before, after: await secretNumbersOf(tx, clientId) };
}

/** Extent of a tenant's stop. */
interface Reach {
  /** The tenant's cards keep working. */
  apiOnly?: boolean;
}

/**
 * Disables or enables a tenant. While disabled, its calls are refused, its cards decline, and transfers that no party
 * knows yet wait. Everything else continues, and records and secrets stay. A disabled tenant may be disabled again with
 * another extent.
 * @returns the previous status
 * @throws Problem 404 for an unknown tenant, 409 `invalid_transition` when status and extent are already as requested
 */
export async function setClientStatus(
  tx: Tx,
  clientId: string,
  status: Tenant['status'],
  stopping: Stopping,
  { apiOnly = false }: Reach = {},
): Promise<Tenant['status']> {
  const before = await lockedTenant(tx, clientId);
  const [kind, other] = apiOnly ? (['tenant_api', 'tenant'] as const) : (['tenant', 'tenant_api'] as const);
  const isOther = await forgetStop(tx, other, clientId);
  if (status === 'disabled') await noteStop(tx, { kind, subject: clientId, tenantId: clientId, ...stopping });
  else if (!isOther) await endStop(tx, kind, clientId);
  await updateStatus(tx, clientId, status);
  return before.status;
}

/**
 * Whether the tenant is disabled in the database. @param clientId null for money without an owner, which no stop
 * concerns
 */
export const isDisabled = async (sql: Sql, clientId: string | null): Promise<boolean> =>
  clientId !== null && (await statusOf(sql, clientId)) === 'disabled';

/** The tenant, locked against other changes. @throws Problem 404 */
export async function lockedTenant(tx: Tx, clientId: string): Promise<Tenant> {
  const tenant = await lockTenant(tx, clientId);
  if (!tenant) throw notFound('client');
  return tenant;
}

/** Numbers of the tenant's valid secrets. */
export async function secretNumbersOf(sql: Sql, clientId: string): Promise<SecretNumbers> {
  const numbers: SecretNumbers = { current: null, inOverlap: [] };
  for (const { id, endsAt } of await liveSecrets(sql, clientId)) {
    if (endsAt) numbers.inOverlap.push({ id, endsAt: endsAt.toISOString() });
    else numbers.current = id;
  }
  return numbers;
}

/** Whether the secret is one of the tenant's valid secrets, also while the tenant is disabled. */
export async function isLiveSecret(
  sql: Sql,
  keyring: Keyring,
  clientId: string,
  clientSecret: string,
): Promise<boolean> {
  const secrets = (await readAccess(sql, [clientId])).get(clientId)?.secrets ?? [];
  const given = keyring.hashSecret(clientSecret);
  return secrets.some(({ hash }) => timingSafeEqual(hash, given));
}

/** A sealed secret with its number. */
export interface SealedSecret {
  id: string;
  sealed: Buffer;
}

/**
 * The sealed secrets that sign the tenant's webhooks, the newest first, which signs even when it was revoked.
 * @throws Problem 404 for an unknown tenant
 */
export async function sealedSecrets(sql: Sql, clientId: string): Promise<[SealedSecret, ...SealedSecret[]]> {
  const [newest, ...others] = await signingSecrets(sql, clientId);
  if (!newest) throw notFound('client');
  return [newest, ...others];
}

/** The text of a sealed secret, as bytes. */
export const openSecret = (keyring: Keyring, clientId: string, sealed: Buffer): Buffer =>
  keyring.open(sealed, sealContext(clientId));

/** The newest secret, the key of `x-signature`. @throws Problem 404 for an unknown tenant */
export async function signingSecret(sql: Sql, keyring: Keyring, clientId: string): Promise<Buffer> {
  const [newest] = await sealedSecrets(sql, clientId);
  return openSecret(keyring, clientId, newest.sealed);
}

const sealContext = (clientId: string) => `credential/${clientId}`;

/** A domain's section in the settings of a tenant. */
export const sectionOf = <T>({ settings }: Pick<Tenant, 'settings'>, section: SettingsSection<T>): T =>
  section.schema.parse(settings[section.name] ?? {});

/** Reads a domain's section of the tenant's settings. @throws Problem 404 for an unknown tenant */
export async function settingsOf<T>(sql: Sql, clientId: string, section: SettingsSection<T>): Promise<T> {
  return sectionOf(await requireTenant(sql, clientId), section);
}

/** Reads the sections of two domains at once. @throws Problem 404 for an unknown tenant */
export async function bothSettingsOf<T, U>(
  sql: Sql,
  clientId: string,
  one: SettingsSection<T>,
  other: SettingsSection<U>,
): Promise<[T, U]> {
  const tenant = await requireTenant(sql, clientId);
  return [sectionOf(tenant, one), sectionOf(tenant, other)];
}

export const tenantExists = async (sql: Sql, clientId: string): Promise<boolean> =>
  (await findTenant(sql, clientId)) !== undefined;

/** Undefined for an unknown tenant. */
export const tenantOf = (sql: Sql, clientId: string): Promise<Tenant | undefined> =>
  findTenant(sql, clientId);

export async function requireTenant(sql: Sql, clientId: string) {
  const tenant = await findTenant(sql, clientId);
  if (!tenant) throw notFound('client');
  return tenant;
}
