import { z } from 'zod';
import { provideForClient } from '../../cards/programmes/operations';
import type { Sql } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { SCOPES, type Scope } from '../../kernel/scopes';
import { isNetwork } from '../../kernel/security/address-lists';
import { text } from '../../kernel/wire/schemas';
import { operatorNameOf } from '../../process/approvals/actors';
import { type Decision, decision, installation, type MadeSecret } from '../../process/desk/decision';
import type { Services } from '../../services';
import { createClient } from '../../tenants/clients/create';
import { MAIN, type SecretTerms } from '../../tenants/clients/record';
import {
  addSecret,
  allNumbersOf,
  assertAddable,
  numbersOf,
  prepareCredential,
  revokeSecrets,
  rotateSecret,
} from '../../tenants/clients/secrets';
import { OVERLAP_SECONDS } from '../../tenants/clients/settings';
import { newTenantSettings } from '../../transfers/approval/new-tenant';
import { findOperator } from '../operators/operations';
import { type Client, clients } from './subject';

type SecretServices = Pick<Services, 'keyring' | 'mode'>;

/** Decisions that give out or end the secrets of tenants. An admin's secret grants as much as a new admin. */
export const secretDecisions = (services: SecretServices): Decision[] => [
  create(services),
  rotate(services),
  revoke,
  add(services),
  revokeNamed,
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

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/;

const secretName = () =>
  z
    .string()
    .regex(NAME, 'must be 1 to 50 lower-case letters, digits and hyphens')
    .meta({ description: 'Name of the secret. main signs webhooks.', examples: ['reporting'] });

const rotate = (services: SecretServices): Decision =>
  decision<Client, { overlapSeconds: number; name: string }>({
    name: 'client.rotate-secret',
    title:
      'a new secret, which signs webhooks at once; the old one authenticates until the overlap ends, any other of its name ends now',
    permission: 'security',
    subject: clients,
    input: z.strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(OVERLAP_SECONDS.max)
        .default(OVERLAP_SECONDS.default)
        .meta({ description: 'How long the old one works. 0 ends it now.' }),
      name: secretName().default(MAIN),
    }),
    reason: 'optional',
    takesTwo: { underDualControl: (_, { subject }) => subject.role === 'admin' },
    restsOn: ({ role, status }) => ({ role, status }),
    secret: async ({ id, actor }) => newCredential(services, actor, id),
    async preview(tx, { subject, input: { name, overlapSeconds }, actor }) {
      await assertOwn(tx, subject, actor);
      const { current } = numbersOf(subject.secrets, name);
      return [
        { field: `secret ${name}`, from: `that of ${subject.name}`, to: 'a new one' },
        {
          field: 'seconds that the old one works',
          from: null,
          to: String(current === null ? 0 : overlapSeconds),
        },
      ];
    },
    async execute(tx, { id, subject, input: { overlapSeconds, name }, secret, at }) {
      const { sealed, shownTo } = sealedOf(secret);
      await assertOwn(tx, subject, shownTo);
      const given = { sealed, shownTo, name, at };
      const { credential, before, after } = await rotateSecret(
        tx,
        services.keyring,
        id,
        overlapSeconds,
        given,
      );
      const { overlapEndsAt } = credential;
      return { before, after, result: { clientId: id, overlapEndsAt } };
    },
  });

const revoke: Decision = decision<Client, { all: boolean }>({
  name: 'client.revoke',
  title: 'ends the secrets that are in their overlap; the current ones stay',
  permission: 'security',
  subject: clients,
  input: z.strictObject({
    all: z.boolean().default(false).meta({
      description:
        'Ends the current ones too, of every name: nothing of the tenant authenticates until rotate-secret.',
    }),
  }),
  reason: 'optional',
  restsOn: ({ status, secrets }) => ({ status, secrets: secrets.length }),
  preview: async (_, { subject: { secrets }, input: { all } }) => [
    {
      field: 'secrets that authenticate',
      from: String(secrets.length),
      to: String(all ? 0 : secrets.filter(({ endsAt }) => endsAt === null).length),
    },
  ],
  async execute(tx, { id, at, input: { all } }) {
    const ending = { name: null, currentEndsIn: all ? 0 : null };
    const { before, after } = await revokeSecrets(tx, id, ending, at);
    const live = after.length;
    const result = { clientId: id, revoked: before.length - live, live };
    return { before: allNumbersOf(before), after: allNumbersOf(after), result };
  },
});

interface NewSecretInput {
  name: string;
  scopes?: Scope[] | undefined;
  addresses?: string[] | undefined;
}

const termsOf = ({ name, scopes, addresses }: NewSecretInput): SecretTerms & { name: string } => ({
  name,
  scopes: scopes ? SCOPES.filter((scope) => scopes.includes(scope)) : null,
  addresses: addresses ?? null,
});

const MAX_ADDRESSES = 50;

const add = (services: SecretServices): Decision =>
  decision<Client, NewSecretInput>({
    name: 'client.secret.add',
    title: 'a further secret with a name of its own, narrowed to scopes and addresses; it is shown this once',
    permission: 'security',
    subject: clients,
    input: z.strictObject({
      name: secretName(),
      scopes: z
        .array(z.enum(SCOPES))
        .min(1)
        .max(SCOPES.length)
        .optional()
        .meta({ description: 'What it may do. Absent: everything.' }),
      addresses: z
        .array(
          z
            .string()
            .max(50)
            .refine(isNetwork, 'must be an address or a network such as 203.0.113.0/24')
            .meta({ format: 'cidr' }),
        )
        .min(1)
        .max(MAX_ADDRESSES)
        .optional()
        .meta({ description: 'Addresses and networks that it may come from. Absent: any.' }),
    }),
    reason: 'optional',
    takesTwo: { underDualControl: (_, { subject }) => subject.role === 'admin' },
    restsOn: ({ role, status, secrets }, { name }) => ({
      role,
      status,
      current: numbersOf(secrets, name).current,
    }),
    secret: async ({ id, actor }) => newCredential(services, actor, id),
    async preview(tx, { subject, input, actor }) {
      await assertOwn(tx, subject, actor);
      assertAddable(subject.secrets, input.name);
      const { name, scopes, addresses } = termsOf(input);
      return [
        { field: 'secret', from: null, to: name },
        { field: 'scopes', from: null, to: scopes?.join(' ') ?? 'all' },
        { field: 'addresses', from: null, to: addresses?.join(' ') ?? 'any' },
      ];
    },
    async execute(tx, { id, subject, input, secret, at }) {
      const terms = termsOf(input);
      const { sealed, shownTo } = sealedOf(secret);
      await assertOwn(tx, subject, shownTo);
      await addSecret(tx, services.keyring, { clientId: id, sealed, shownTo }, terms, at);
      return { after: terms, result: { clientId: id, ...terms } };
    },
  });

const revokeNamed: Decision = decision<Client, { name: string }>({
  name: 'client.secret.revoke',
  title: 'ends the secrets of a name at once; webhooks stay signed with the newest main',
  permission: 'security',
  subject: clients,
  input: z.strictObject({ name: secretName() }),
  reason: 'optional',
  restsOn: ({ status, secrets }, { name }) => ({
    status,
    secrets: secrets.filter((secret) => secret.name === name).length,
  }),
  async preview(_, { subject: { secrets }, input: { name } }) {
    const ending = endingOf(secrets, name);
    return [{ field: `secrets named ${name} that authenticate`, from: String(ending), to: '0' }];
  },
  async execute(tx, { id, subject, at, input: { name } }) {
    const revoked = endingOf(subject.secrets, name);
    const { before, after } = await revokeSecrets(tx, id, { name, currentEndsIn: 0 }, at);
    const result = { clientId: id, name, revoked, live: after.length };
    return { before: allNumbersOf(before), after: allNumbersOf(after), result };
  },
});

/** @throws Problem 404 when no secret of the name authenticates */
function endingOf(secrets: Client['secrets'], name: string): number {
  const ending = secrets.filter((secret) => secret.name === name).length;
  if (ending === 0) throw notFound('secret', 'name');
  return ending;
}
