import { z } from 'zod';
import { provideForClient } from '../../cards/programmes/operations';
import type { Sql } from '../../kernel/db/database';
import { conflict } from '../../kernel/errors';
import { text } from '../../kernel/wire/schemas';
import { operatorNameOf } from '../../process/approvals/actors';
import { type Decision, decision, installation, type MadeSecret } from '../../process/desk/decision';
import type { Services } from '../../services';
import {
  createClient,
  prepareCredential,
  revokeSecrets,
  rotateSecret,
} from '../../tenants/clients/operations';
import { OVERLAP_SECONDS } from '../../tenants/clients/settings';
import { newTenantSettings } from '../../transfers/approval/new-tenant';
import { findOperator } from '../operators/operations';
import { type Client, clients, liveOf } from './subject';

type SecretServices = Pick<Services, 'keyring' | 'mode'>;

/** Decisions that give out or end the secrets of tenants. An admin's secret grants as much as a new admin. */
export const secretDecisions = (services: SecretServices): Decision[] => [
  create(services),
  rotate(services),
  revoke,
];

interface SealedCredential {
  clientId: string;
  /** Base64. */
  sealed: string;
  /** `operator:<name>`: who has seen it. */
  shownTo: string;
}

/** The asking operator sees the secret once. A stored approval holds the sealed secret. */
function newCredential({ keyring }: SecretServices, shownTo: string, clientId?: string): MadeSecret {
  const { credential, sealed } = prepareCredential(keyring, clientId);
  const stored: SealedCredential = {
    clientId: credential.clientId,
    sealed: sealed.toString('base64'),
    shownTo,
  };
  return { stored, shown: credential };
}

function sealedOf(secret: object | undefined) {
  const { clientId, sealed, shownTo } = secret as SealedCredential;
  return { clientId, sealed: Buffer.from(sealed, 'base64'), shownTo };
}

/** The operator of an actor. */
const operatorOfActor = async (sql: Sql, actor: string) =>
  findOperator(sql, { name: operatorNameOf(actor) ?? '' });

/**
 * Refuses to show an operator the secret of another operator's credential, because the audit log would name the other.
 * @throws Problem 409 `invalid_transition`
 */
async function assertOwn(sql: Sql, { operatorId }: Client, actor: string): Promise<void> {
  if (operatorId === null || (await operatorOfActor(sql, actor))?.id === operatorId) return;
  const owner = await findOperator(sql, { id: operatorId });
  throw conflict(
    'invalid_transition',
    `The credential belongs to ${owner?.name ?? 'another operator'}, who alone rotates it. You can revoke it, and make one of your own.`,
  );
}

const create = (services: SecretServices): Decision =>
  decision<object, { name: string; role: 'client' | 'admin' }>({
    name: 'client.create',
    title: 'a new tenant; its secret is shown this once',
    permission: 'security',
    subject: installation,
    input: z.strictObject({
      name: text(200).trim().min(1).meta({ description: 'What people call it.' }),
      role: z.enum(['client', 'admin']).default('client').meta({
        description:
          'admin: an operator of the HTTP API, who may reach every tenant. It belongs to you and may do what you may.',
      }),
    }),
    reason: 'optional',
    takesTwo: { underDualControl: (_, { input }) => input.role === 'admin' },
    restsOn: () => ({}),
    secret: async ({ actor }) => newCredential(services, actor),
    preview: async (_, { input: { role, name }, actor }) =>
      Object.entries({ role, name, ...(role === 'admin' && { 'belongs to': actor }) }).map(([field, to]) => ({
        field,
        from: null,
        to,
      })),
    async execute(tx, { input: { name, role }, secret }) {
      const { keyring, mode } = services;
      const prepared = sealedOf(secret);
      const given = { provide: provideForClient, name, role, sandbox: mode === 'sandbox' };
      const owner = role === 'admin' ? await operatorOfActor(tx, prepared.shownTo) : undefined;
      const settings = role === 'client' ? await newTenantSettings(tx) : {};
      const made = { ...given, settings, operatorId: owner?.id };
      const { clientId } = await createClient(tx, keyring, made, prepared);
      return {
        about: { id: clientId, tenantId: clientId },
        after: { name, role, operator: owner?.name },
        result: { clientId },
      };
    },
  });

const rotate = (services: SecretServices): Decision =>
  decision<Client, { overlapSeconds: number }>({
    name: 'client.rotate-secret',
    title:
      'a new secret, which signs webhooks at once; the old one authenticates until the overlap ends, any other ends now',
    permission: 'security',
    subject: clients,
    input: z.strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(OVERLAP_SECONDS.max)
        .default(OVERLAP_SECONDS.default)
        .meta({ description: 'How long the old one works. 0 ends it now.' }),
    }),
    reason: 'optional',
    takesTwo: { underDualControl: (_, { subject }) => subject.role === 'admin' },
    restsOn: ({ role, status }) => ({ role, status }),
    secret: async ({ id, actor }) => newCredential(services, actor, id),
    async preview(tx, { subject, input, actor }) {
      await assertOwn(tx, subject, actor);
      const { name, secrets } = subject;
      return [
        { field: 'secret', from: `that of ${name}`, to: 'a new one' },
        {
          field: 'seconds that the old one works',
          from: null,
          to: String(secrets.current === null ? 0 : input.overlapSeconds),
        },
      ];
    },
    async execute(tx, { id, subject, input: { overlapSeconds }, secret }) {
      const { sealed, shownTo } = sealedOf(secret);
      await assertOwn(tx, subject, shownTo);
      const { credential, before, after } = await rotateSecret(tx, services.keyring, id, overlapSeconds, {
        sealed,
        shownTo,
      });
      const { overlapEndsAt } = credential;
      return { before, after, result: { clientId: id, overlapEndsAt } };
    },
  });

const revoke: Decision = decision<Client, { all: boolean }>({
  name: 'client.revoke',
  title: 'ends the secret that is in its overlap; the current one stays',
  permission: 'security',
  subject: clients,
  input: z.strictObject({
    all: z.boolean().default(false).meta({
      description: 'Ends the current one too: nothing of the tenant authenticates until rotate-secret.',
    }),
  }),
  reason: 'optional',
  restsOn: ({ status, secrets }) => ({ status, secrets: liveOf(secrets) }),
  preview: async (_, { subject: { secrets }, input: { all } }) => [
    {
      field: 'secrets that authenticate',
      from: String(liveOf(secrets)),
      to: String(all ? 0 : liveOf({ ...secrets, inOverlap: [] })),
    },
  ],
  async execute(tx, { id, input: { all } }) {
    const { before, after } = await revokeSecrets(tx, id, all);
    const live = liveOf(after);
    return { before, after, result: { clientId: id, revoked: liveOf(before) - live, live } };
  },
});
