import { z } from 'zod';
import { provideForClient } from '../../cards/programmes/operations';
import { text } from '../../kernel/wire/schemas';
import { type Decision, decision, installation, type MadeSecret } from '../../process/desk/decision';
import type { Services } from '../../services';
import {
  createClient,
  prepareCredential,
  revokeSecrets,
  rotateSecret,
} from '../../tenants/clients/operations';
import { OVERLAP_SECONDS } from '../../tenants/clients/settings';
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
}

/** The asking operator sees the secret once. A stored approval holds the sealed secret. */
function newCredential({ keyring }: SecretServices, clientId?: string): MadeSecret {
  const { credential, sealed } = prepareCredential(keyring, clientId);
  const stored: SealedCredential = { clientId: credential.clientId, sealed: sealed.toString('base64') };
  return { stored, shown: credential };
}

function sealedOf(secret: object | undefined): { clientId: string; sealed: Buffer } {
  const { clientId, sealed } = secret as SealedCredential;
  return { clientId, sealed: Buffer.from(sealed, 'base64') };
}

const create = (services: SecretServices): Decision =>
  decision<object, { name: string; role: 'client' | 'admin' }>({
    name: 'client.create',
    title: 'a new tenant; its secret is shown this once',
    permission: 'security',
    subject: installation,
    input: z.strictObject({
      name: text(200).trim().min(1).meta({ description: 'What people call it.' }),
      role: z
        .enum(['client', 'admin'])
        .default('client')
        .meta({ description: 'admin: an operator of the HTTP API, who may reach every tenant.' }),
    }),
    reason: 'optional',
    takesTwo: { underDualControl: (_, { input }) => input.role === 'admin' },
    restsOn: () => ({}),
    secret: async () => newCredential(services),
    preview: async (_, { input: { role, name } }) =>
      Object.entries({ role, name }).map(([field, to]) => ({ field, from: null, to })),
    async execute(tx, { input: { name, role }, secret }) {
      const { keyring, mode } = services;
      const given = { provide: provideForClient, name, role, sandbox: mode === 'sandbox' };
      const { clientId } = await createClient(tx, keyring, given, sealedOf(secret));
      return { about: { id: clientId, tenantId: clientId }, after: { name, role }, result: { clientId } };
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
    secret: async ({ id }) => newCredential(services, id),
    preview: async (_, { subject: { name, secrets }, input }) => [
      { field: 'secret', from: `that of ${name}`, to: 'a new one' },
      {
        field: 'seconds that the old one works',
        from: null,
        to: String(secrets.current === null ? 0 : input.overlapSeconds),
      },
    ],
    async execute(tx, { id, input: { overlapSeconds }, secret }) {
      const { sealed } = sealedOf(secret);
      const { credential, before, after } = await rotateSecret(tx, services.keyring, id, overlapSeconds, {
        sealed,
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
