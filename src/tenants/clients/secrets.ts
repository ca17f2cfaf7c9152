import { randomBytes } from 'node:crypto';
import type { Sql, Tx } from '../../kernel/db/database';
import { clientDisabled, conflict, forbidden, notFound } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { appendEvents } from '../../kernel/outbox/events';
import type { Keyring } from '../../kernel/security/keyring';
import { credentialContext } from '../../kernel/security/sealed-columns';
import { secretAddedEvent, secretRevokedEvent, secretRotatedEvent } from './events';
import { lockedTenant } from './operations';
import { type LiveSecret, MAIN, type SecretTerms } from './record';
import {
  type Ending,
  endSecrets,
  insertCredential,
  liveSecrets,
  newestTerms,
  readAccess,
  signingSecrets,
} from './store';

export { listSecrets, liveSecrets, type TenantSecret } from './store';

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
  const sealed = keyring
    .sealer('client-secrets')
    .seal(Buffer.from(clientSecret), credentialContext(clientId));
  return { credential: { clientId, clientSecret }, sealed };
}

export const EVERYTHING: SecretTerms = { scopes: null, addresses: null };

/** The stored part of a prepared credential. */
export interface Stored {
  clientId: string;
  sealed: Buffer;
  /** `operator:<name>`: who has seen the secret. Absent: the tenant alone. */
  shownTo?: string | null | undefined;
}

export const storable = ({ credential: { clientId }, sealed }: PreparedCredential): Stored => ({
  clientId,
  sealed,
});

export async function storeSecret(
  tx: Tx,
  keyring: Keyring,
  { clientId, sealed, shownTo = null }: Stored,
  named: SecretTerms & { name: string },
): Promise<NewCredential> {
  const clientSecret = keyring.sealer('client-secrets').open(sealed, credentialContext(clientId)).toString();
  const secretHash = keyring.hashSecret(clientSecret, clientId);
  await insertCredential(tx, { tenantId: clientId, ...named, secretHash, secretSealed: sealed, shownTo });
  return { clientId, clientSecret };
}

/** Numbers of the valid secrets of a name, for the audit log. Never the secrets themselves. */
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
 * Replaces the current secret of a name. The new secret has the scopes and addresses of the old one. A new `main` signs
 * webhooks at once, and the old secret authenticates until the overlap ends. A secret of the name that was still in its
 * overlap ends now, so at most two of a name are valid (decisions part 1, Credentials). The tenant's webhook is told.
 * @param overlapSeconds 0 ends all other secrets of the name now
 * @param given.by number of the caller's secret, which must be the current one of its name; absent for the operator
 * @param given.name default: the name of the caller's secret, `main` for the operator
 * @param given.sealed the new secret, if it was prepared
 * @param given.at time of the event
 * @param given.shownTo `operator:<name>`, who has seen it; absent for the tenant itself
 * @throws Problem 403 when `by` is not current, for example because another rotation won; 401 for a disabled tenant;
 *   404 for an unknown tenant or name
 */
export async function rotateSecret(
  tx: Tx,
  keyring: Keyring,
  clientId: string,
  overlapSeconds: number,
  {
    by,
    name: given = MAIN,
    sealed = prepareCredential(keyring, clientId).sealed,
    at = new Date(),
    shownTo,
  }: { by?: string; name?: string; sealed?: Buffer; at?: Date; shownTo?: string } = {},
): Promise<Rotation> {
  const { status } = await lockedTenant(tx, clientId);
  if (by !== undefined && status !== 'active') throw clientDisabled();
  const live = await liveSecrets(tx, clientId);
  const own = live.find(({ id }) => id === by);
  if (by !== undefined && own?.endsAt !== null)
    throw forbidden('Only the current secret may rotate, and this secret has been replaced.');
  const name = own?.name ?? given;
  const terms = await newestTerms(tx, clientId, name);
  if (!terms) throw notFound('secret', 'name');
  const before = numbersOf(live, name);
  const ended = await endSecrets(tx, clientId, { name, currentEndsIn: overlapSeconds });
  const credential = await storeSecret(tx, keyring, { clientId, sealed, shownTo }, { name, ...terms });
  const overlapEndsAt = ended.find(({ id }) => id === before.current)?.endsAt.toISOString() ?? null;
  await appendEvents(tx, [secretRotatedEvent(clientId, { name, overlapEndsAt }, at)]);
  const after = numbersOf(await liveSecrets(tx, clientId), name);
  return { credential: { ...credential, overlapEndsAt }, before, after };
}

/** How many names of secrets a tenant may have at once. */
const MAX_NAMES = 20;

/**
 * Adds a secret under a name that has no current one. The tenant's webhook is told.
 * @throws Problem 404 for an unknown tenant, 409 `invalid_transition` when the name has a current secret, 409
 *   `limit_exceeded` for one name too many
 */
export async function addSecret(
  tx: Tx,
  keyring: Keyring,
  { clientId, sealed }: Stored,
  named: SecretTerms & { name: string },
  at: Date,
): Promise<void> {
  await lockedTenant(tx, clientId);
  assertAddable(await liveSecrets(tx, clientId), named.name);
  await storeSecret(tx, keyring, { clientId, sealed }, named);
  await appendEvents(tx, [secretAddedEvent(clientId, named, at)]);
}

/** @throws Problem 409, as {@link addSecret} */
export function assertAddable(live: readonly LiveSecret[], name: string): void {
  if (live.some((secret) => secret.name === name && secret.endsAt === null))
    throw conflict('invalid_transition', `There is a secret named ${name}: rotate or revoke it.`, 'name');
  const names = new Set(live.map((secret) => secret.name)).add(name);
  if (names.size > MAX_NAMES)
    throw conflict('limit_exceeded', `A tenant has secrets of at most ${MAX_NAMES} names.`, 'name');
}

/**
 * Ends secrets. Without secrets the tenant cannot authenticate until the operator rotates. Webhooks continue to be signed
 * with the newest `main`, because receivers verify with it. A thief learns nothing new from signatures. The tenant's
 * webhook is told of each name.
 * @param ending `currentEndsIn` null: only secrets in their overlap
 * @returns valid secrets of the tenant before and after
 * @throws Problem 404 for an unknown tenant
 */
export async function revokeSecrets(
  tx: Tx,
  clientId: string,
  ending: Ending,
  at: Date,
): Promise<{ before: readonly LiveSecret[]; after: readonly LiveSecret[] }> {
  await lockedTenant(tx, clientId);
  const before = await liveSecrets(tx, clientId);
  const ended = await endSecrets(tx, clientId, ending);
  const after = await liveSecrets(tx, clientId);
  const names = [...new Set(ended.map(({ name }) => name))];
  const liveOf = (name: string) => after.filter((secret) => secret.name === name).length;
  await appendEvents(
    tx,
    names.map((name) => secretRevokedEvent(clientId, { name, live: liveOf(name) }, at)),
  );
  return { before, after };
}

/** Numbers of the valid secrets of a name. */
export function numbersOf(live: readonly LiveSecret[], of: string): SecretNumbers {
  const numbers: SecretNumbers = { current: null, inOverlap: [] };
  for (const { id, name, endsAt } of live) {
    if (name !== of) continue;
    if (endsAt) numbers.inOverlap.push({ id, endsAt: endsAt.toISOString() });
    else numbers.current = id;
  }
  return numbers;
}

/** Numbers of all valid secrets of a tenant: those of `main`, and of the other names that there are. */
export interface AllSecretNumbers extends SecretNumbers {
  named?: Record<string, SecretNumbers>;
}

export function allNumbersOf(live: readonly LiveSecret[]): AllSecretNumbers {
  const others = [...new Set(live.map(({ name }) => name))].filter((name) => name !== MAIN);
  const main = numbersOf(live, MAIN);
  if (others.length === 0) return main;
  return { ...main, named: Object.fromEntries(others.map((name) => [name, numbersOf(live, name)])) };
}

/** Whether the secret is one of the tenant's valid secrets, also while the tenant is disabled. */
export async function isLiveSecret(
  sql: Sql,
  keyring: Keyring,
  clientId: string,
  clientSecret: string,
): Promise<boolean> {
  const secrets = (await readAccess(sql, [clientId])).get(clientId)?.secrets ?? [];
  return secrets.some(({ hash }) => keyring.isHashOf(hash, clientSecret, clientId));
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
  keyring.sealer('client-secrets').open(sealed, credentialContext(clientId));

/** The newest secret, the key of `x-signature`. @throws Problem 404 for an unknown tenant */
export async function signingSecret(sql: Sql, keyring: Keyring, clientId: string): Promise<Buffer> {
  const [newest] = await sealedSecrets(sql, clientId);
  return openSecret(keyring, clientId, newest.sealed);
}
