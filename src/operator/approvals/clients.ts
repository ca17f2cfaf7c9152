import { z } from 'zod';
import { provideForClient } from '../../cards/programmes/operations';
import type { Tx } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import {
  createClient,
  lockedTenant,
  type PreparedCredential,
  requireTenant,
  rotateSecret,
  updateSettings,
} from '../../tenants/clients/operations';
import type { TenantSettings } from '../../tenants/clients/settings';
import { changedSettings, changesOf, raisesThreshold, shownSettings } from '../client-settings';
import { guardedChange } from './kind';

const sealed = z.base64();

/**
 * A credential in the terms of a change. The asking operator has the secret already, and the approving operator never
 * sees it.
 */
export const sealedTerms = ({ credential: { clientId }, sealed: secret }: PreparedCredential) => ({
  clientId,
  sealed: secret.toString('base64'),
});

const bytesOf = (text: string) => Buffer.from(text, 'base64');

const clientMade = guardedChange({
  terms: z.object({ clientId: z.string(), sealed, name: z.string(), role: z.enum(['client', 'admin']) }),
  async judge(_, __, terms) {
    const { clientId, name, role } = terms;
    const changes = Object.entries({ role, name }).map(([field, to]) => ({ field, from: null, to }));
    return { subject: clientId, tenantId: clientId, changes, isGuarded: role === 'admin', terms };
  },
  async execute({ keyring, sandbox }, tx, { clientId, sealed: secret, name, role }) {
    const given = { provide: provideForClient, name, role, sandbox };
    await createClient(tx, keyring, given, { clientId, sealed: bytesOf(secret) });
    const entry = { action: 'client.create', subject: clientId, tenantId: clientId, after: { name, role } };
    return { entry, result: { clientId } };
  },
});

/** An admin's new secret grants as much as a new admin. */
const secretRotated = guardedChange({
  terms: z.object({ clientId: z.string(), sealed, overlapSeconds: z.int() }),
  async judge(_, tx, terms) {
    const { clientId } = terms;
    const { role, name } = await requireTenant(tx, clientId);
    const changes = [{ field: 'secret', from: `that of ${name}`, to: 'a new one' }];
    return { subject: clientId, tenantId: clientId, changes, isGuarded: role === 'admin', terms };
  },
  async execute({ keyring }, tx, { clientId, sealed: secret, overlapSeconds }) {
    const { credential, before, after } = await rotateSecret(tx, keyring, clientId, overlapSeconds, {
      sealed: bytesOf(secret),
    });
    const { overlapEndsAt } = credential;
    const entry = { action: 'client.rotate-secret', subject: clientId, tenantId: clientId, before, after };
    return { entry, result: { clientId, overlapEndsAt } };
  },
});

const settingsChanged = guardedChange({
  terms: z.object({
    clientId: z.string(),
    set: z.array(z.object({ key: z.string(), value: z.string() })),
    /** The settings before the change, when it was judged. Absent in a new request. */
    from: z.record(z.string(), z.string()).optional(),
  }),
  async judge(_, tx, { clientId, set }) {
    const { before, after } = await judgedSettings(tx, clientId, set);
    const changes = changesOf(before, after);
    const from = Object.fromEntries(changes.map((each) => [each.field, each.from]));
    const terms = { clientId, set, from };
    return {
      subject: clientId,
      tenantId: clientId,
      changes,
      isGuarded: raisesThreshold(before, after),
      terms,
    };
  },
  async execute(_, tx, { clientId, set, from = {} }) {
    const { before, after } = await judgedSettings(tx, clientId, set);
    assertUnchanged(from, changesOf(before, after));
    await updateSettings(tx, clientId, after);
    const entry = { action: 'client.settings', subject: clientId, tenantId: clientId, before, after };
    return { entry, result: { before, after } };
  },
});

/** The tenant stays locked, so that no change is lost. @throws Problem 404; 400 naming the setting */
async function judgedSettings(
  tx: Tx,
  clientId: string,
  set: { key: string; value: string }[],
): Promise<{ before: TenantSettings; after: TenantSettings }> {
  const before = shownSettings((await lockedTenant(tx, clientId)).settings);
  return { before, after: changedSettings(before, set) };
}

/** Refuses a change when a setting no longer has the value that the approving operator saw. */
function assertUnchanged(
  from: Readonly<Record<string, string>>,
  changes: { field: string; from: string | null }[],
): void {
  const other = changes.find(({ field, from: now }) => from[field] !== now);
  if (!other) return;
  throw conflict(
    'version_conflict',
    `Somebody has changed ${other.field} since: reject this, and ask again.`,
    other.field,
  );
}

/** Changes of tenants that need two operators under dual control. */
export const CLIENT_CHANGES = {
  'client.create': clientMade,
  'client.rotate-secret': secretRotated,
  'client.settings': settingsChanged,
} as const;

export type ClientChange = keyof typeof CLIENT_CHANGES;
