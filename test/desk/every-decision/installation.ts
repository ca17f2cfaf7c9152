import { randomUUID } from 'node:crypto';
import { addOperator } from '../../../src/desk/operators/operations';
import type { Permission } from '../../../src/kernel/permissions';
import { until } from '../../support/until';
import { asOperator, permit } from '../support';
import { type Case, decided, type EveryWorld, type Rows } from './world';

/** An operator whom nobody has admitted. */
async function applicant({ api }: EveryWorld): Promise<string> {
  const { keyring } = api.services;
  const given = { name: `new-${randomUUID()}`, createdBy: 'applicant' };
  return (await api.database.transaction((tx) => addOperator(tx, keyring, given))).operatorId;
}

const eveId = ({ value }: EveryWorld) => value(`select id from operators where name = 'eve'`).then(String);

/** The status of a tenant's own request. */
async function access(
  world: EveryWorld,
  before: string | undefined,
  shown: number,
  input?: object,
): Promise<Case> {
  const client = await world.tenant();
  const see = async () => (await client.call('GET', '/v1/accounts')).status;
  if (before !== undefined) await decided(world, before, client.clientId);
  await until(async () => (await see()) !== shown);
  return { subject: client.clientId, see, shown, ...(input ? { input: { ...input } } : {}) };
}

/** A capability of one tenant, or a party that no other case needs. */
async function switched(world: EveryWorld, kind: 'capability' | 'party', shown: 'on' | 'off'): Promise<Case> {
  const { clientId: client } = await world.tenant();
  const [subject, input] = kind === 'party' ? (['bank', {}] as const) : (['payout', { client }] as const);
  await decided(world, `${kind}.${shown === 'on' ? 'off' : 'on'}`, subject, input);
  const text = `select count(*)::int from switches
                 where kind = $1 and name = $2 and on_at is null and coalesce(tenant_id, $3) = $3`;
  const see = () => world.value(text, kind, subject, client);
  return { subject, input, see, shown: shown === 'on' ? 0 : 1 };
}

/** A command that Temporal has refused for good. */
async function parked({ value }: EveryWorld): Promise<string> {
  const number = await value(
    `insert into workflow_commands (workflow, workflow_id, task_queue, action, args, parked_at, last_error, attempts)
     values ('cardIssuance', $1, 'processes', 'start', '[]', now(), 'INVALID_ARGUMENT', 20) returning number`,
    `card-issuance-${randomUUID()}`,
  );
  return String(number);
}

const isParked =
  ({ value }: EveryWorld, number: string) =>
  () =>
    value('select parked_at is not null from workflow_commands where number = $1', number);

export const INSTALLATION: Rows = {
  'operator.permit': {
    two: true,
    async make(world) {
      await permit(world.api, 'eve', ['view', 'review', 'money', 'chain', 'security']);
      const permissions: Permission[] = ['view', 'money'];
      const see = () => world.value(`select permissions from operators where name = 'eve'`);
      return { subject: await eveId(world), input: { permissions }, see, shown: permissions };
    },
  },
  'operator.admit': {
    async make(world) {
      const id = await applicant(world);
      await permit(world.api, 'eve', ['view', 'security']);
      const eve = await asOperator(world.desk.url, world.people.eve);
      await eve('POST', 'decisions/operator.admit', { subject: id }, { 'x-idempotency-key': randomUUID() });
      const see = () => world.value('select admitted_at is not null from operators where id = $1', id);
      return { subject: id, see, shown: true };
    },
  },
  'operator.disable': {
    async make(world) {
      const id = await applicant(world);
      const see = () => world.value('select disabled_by from operators where id = $1', id);
      return { subject: id, see, shown: 'operator:ida' };
    },
  },
  'operator.invite': {
    async make(world) {
      const name = `invited-${randomUUID()}`;
      const see = () => world.value('select permissions from operator_links where name = $1', name);
      return { input: { name, permissions: ['view', 'review'] }, see, shown: ['view', 'review'] };
    },
  },
  'operator.reset-code': {
    two: true,
    async make(world) {
      const text = `select count(*)::int from operator_links where name = 'eve' and purpose = 'code_generator'`;
      await world.value(`delete from operator_links where name = 'eve'`);
      return { subject: await eveId(world), see: () => world.value(text), shown: 1 };
    },
  },
  'operator.mail': {
    async make(world) {
      await world.value('delete from operator_mails');
      const see = () => world.value('select count(*)::int from operator_mails');
      return { subject: 'ida', input: { address: 'ida@example.com' }, see, shown: 1 };
    },
  },
  'session.end': {
    async make(world) {
      await permit(world.api, 'eve', ['view']);
      const eve = await asOperator(world.desk.url, world.people.eve);
      const id = await world.value(
        'select id from desk_sessions where operator_id = $1 order by id desc limit 1',
        await eveId(world),
      );
      return { subject: String(id), see: async () => (await eve('GET', 'catalogue')).status, shown: 401 };
    },
  },
  'client.create': {
    two: true,
    async make(world) {
      const name = `office-${randomUUID()}`;
      const see = () => world.value('select role from tenants where name = $1', name);
      return { input: { name, role: 'admin' }, see, shown: 'admin' };
    },
  },
  'client.rotate-secret': { make: (world) => access(world, undefined, 401, { overlapSeconds: 0 }) },
  'client.revoke': { make: (world) => access(world, undefined, 401, { all: true }) },
  'client.secret.add': {
    async make(world) {
      const { clientId } = await world.tenant();
      const see = () =>
        world.value(
          `select array_to_string(scopes, ' ') || ' ' || array_to_string(addresses, ' ')
             from credentials where tenant_id = $1 and name = 'reporting'`,
          clientId,
        );
      const input = { name: 'reporting', scopes: ['money', 'read'], addresses: ['203.0.113.0/24'] };
      return { subject: clientId, input, see, shown: 'read money 203.0.113.0/24' };
    },
  },
  'client.secret.revoke': { make: (world) => access(world, undefined, 401, { name: 'main' }) },
  'client.disable': { make: (world) => access(world, undefined, 401) },
  'client.enable': { make: (world) => access(world, 'client.disable', 200) },
  'client.settings': {
    two: true,
    async make(world) {
      const { clientId: id } = await world.tenant();
      const see = () =>
        world.value(`select settings #>> '{banking,payout,approvalAbove}' from tenants where id = $1`, id);
      const set = ['banking.payout.approvalAbove="50000.00"', 'banking.monthlyFee="12.00"'];
      return { subject: id, input: { set }, see, shown: '50000.00' };
    },
  },
  'capability.off': { make: (world) => switched(world, 'capability', 'off') },
  'capability.on': { make: (world) => switched(world, 'capability', 'on') },
  'party.off': { make: (world) => switched(world, 'party', 'off') },
  'party.on': { make: (world) => switched(world, 'party', 'on') },
  'commands.retry': {
    async make(world) {
      const number = await parked(world);
      return { subject: number, see: isParked(world, number), shown: false };
    },
  },
  'commands.retry-all': {
    async make(world) {
      return { see: isParked(world, await parked(world)), shown: false };
    },
  },
  'webhooks.retry': {
    async make(world) {
      const { clientId } = await world.tenant();
      const hook = `insert into webhook_endpoints (tenant_id, registration, url) values ($1, 'card', 'https://example.com/hook')`;
      await world.value(hook, clientId);
      const number = await world.value(
        `insert into events (tenant_id, registration, event, data_id, data, created_at, shard, delivery)
         values ($1, 'card', 'card_transaction', 'ctx_1', '{}', now(), 0, 'failed') returning number`,
        clientId,
      );
      const see = () => world.value('select delivery from events where number = $1', number);
      return { subject: clientId, input: { type: 'card' }, see, shown: 'due' };
    },
  },
};
