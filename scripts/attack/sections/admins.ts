import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PERMISSIONS, type Permission } from '../../../src/kernel/permissions';
import type { Operation } from '../../../test/attack/operations';
import type { Told } from '../../../test/support/ask';
import type { Trials } from '../trials';
import { type Attacker, changedTables, type Hired, type World } from '../world';

/** Permissions and the end of an operator count within a second in every process. */
const SPREAD_MS = 1_200;
/** Above every limit of one operator. */
const TOO_MUCH = '2000000000000.00';

/** The credential of an operator without a permission, of a disabled one, and beyond what one operator may do. */
export async function admins(world: World, trials: Trials): Promise<void> {
  const mallory = await world.hire();
  const admin = await world.tenant('admin', mallory.ask);
  await permissions(world, trials, { mallory, admin });
  await readings(world, trials, { mallory, admin });
  await twoPeople(world, trials, { mallory, admin });
  await world.decide(world.chief, 'operator.disable', { subject: mallory.id });
  await sleep(SPREAD_MS);
  // Refusals wait beside one another, because failed sign-ins are slowed.
  await Promise.all(
    trials.some(world.operations).map(async (operation) => {
      const answer = await admin.ask(operation.method, await world.pathOf(operation));
      trials.answered(`${operation.name} by a disabled operator`, answer, { status: 401 });
    }),
  );
  const session = await mallory.ask('GET', '/desk/v1/catalogue');
  trials.answered('the session of a disabled operator', session, { status: 401, code: 'unauthorized' });
}

interface Operator {
  mallory: Hired;
  admin: Attacker;
}

/** The permission that a refusal names as missing. */
export const missingIn = ({ status, body }: Told): Permission | undefined => {
  const [, named] = /^It takes the permission (\w+)\.$/.exec(String(body?.message)) ?? [];
  return status === 403 ? (named as Permission | undefined) : undefined;
};

/**
 * Calls each operation once without each permission. Exactly one missing permission may lead to a refusal, and the refusal
 * must name it. No table says which permission an operation takes.
 */
export async function eachMissing<T extends Pick<Operation, 'name'>>(
  trials: Trials,
  operations: readonly T[],
  without: (permission: Permission) => Promise<void>,
  call: (operation: T) => Promise<Told>,
): Promise<Map<T, Permission[]>> {
  const refused = new Map(operations.map((each): [T, Permission[]] => [each, []]));
  for (const permission of PERMISSIONS) {
    await without(permission);
    for (const operation of operations) {
      const answer = await call(operation);
      const named = missingIn(answer);
      if (named === undefined) continue;
      const says = `It takes the permission ${permission}.`;
      trials.answered(`${operation.name} without ${permission}`, answer, { status: 403, says });
      refused.get(operation)?.push(named);
    }
  }
  return refused;
}

async function permissions(world: World, trials: Trials, { mallory, admin }: Operator): Promise<void> {
  const before = await world.traces(admin.clientId);
  const refused = await eachMissing(
    trials,
    world.operations,
    async (permission) => {
      await world.permit(
        mallory.id,
        PERMISSIONS.filter((each) => each !== permission),
      );
      await sleep(SPREAD_MS);
    },
    async (operation) =>
      admin.ask(
        operation.method,
        await world.pathOf(operation),
        operation.method === 'GET' ? undefined : { unknownField: 1 },
      ),
  );
  for (const [{ name, permission }, named] of refused) {
    trials.holds(`${name} takes one permission`, named.length, 1);
    if (permission) trials.holds(`${name} takes the permission of the document`, named, [permission]);
  }
  const traces = changedTables(before, await world.traces(admin.clientId));
  trials.holds('refusals for a permission leave no trace', traces.filter(isTrace), []);
  await world.permit(mallory.id, PERMISSIONS);
  await sleep(SPREAD_MS);
}

/** Readings are audited, and changed permissions renew the version of the operator's credential. */
const isTrace = (table: string) => !['audit_log', 'tenants'].includes(table);

async function readings(world: World, trials: Trials, { mallory, admin }: Operator): Promise<void> {
  const user = await world.records.id('user');
  for (const path of [`/v1/users/${user}`, `/v1/users/${user}/kyc`]) {
    const entries = () =>
      world.database.query<{ actor: string }>(
        'select actor from audit_log where subject = $1 and actor = $2 order by id',
        [user, `operator:${mallory.name}`],
      );
    const before = (await entries()).length;
    trials.answered(`${path} by an admin`, await admin.ask('GET', path), { status: 200 });
    trials.holds(`${path} is audited under its operator`, (await entries()).length, before + 1);
  }
}

/** Bookings above a limit wait: nothing has happened, and who asked cannot approve. */
async function twoPeople(world: World, trials: Trials, { mallory, admin }: Operator): Promise<void> {
  const accountId = await world.records.id('masterAccount');
  const balance = async () => (await admin.ask('GET', `/v2/accounts/${accountId}/balance`)).body.available;
  const bookings: [path: string, more: object][] = [
    ['/v1/accounts/admin-deposit', { reason: 'attack' }],
    ['/v1/accounts/offramp-deposit', { reference: randomUUID() }],
  ];
  for (const [path, more] of bookings) {
    const before = await balance();
    const body = { accountId, amount: TOO_MUCH, ...more };
    const key = { 'x-idempotency-key': randomUUID() };
    const asked = await admin.ask('POST', path, body, key);
    trials.answered(`${path} above the limit`, asked, { status: 202 });
    trials.holds(`${path} above the limit has no effect`, await balance(), before);
    const again = await admin.ask('POST', path, body, key);
    trials.holds(`${path} repeated asks once`, again.body.approvalId, asked.body.approvalId);
    const decided = (by: World['chief'], how: 'approve' | 'reject') => {
      const headers = { 'x-idempotency-key': randomUUID() };
      const at = `/desk/v1/approvals/${asked.body.approvalId}/${how}`;
      return by('POST', at, how === 'reject' ? { reason: 'attack' } : {}, headers);
    };
    const own = await decided(mallory.ask, 'approve');
    trials.answered(`${path} approved by who asked`, own, { status: 409, code: 'invalid_transition' });
    // Many at once decide once: one rejects, and the others find it decided.
    const many = await Promise.all(Array.from({ length: 10 }, () => decided(world.deputy, 'reject')));
    const statuses = many.map(({ status }) => status).sort();
    trials.holds(`${path} is decided once`, statuses, [200, ...Array<number>(9).fill(409)]);
    trials.answered(`${path} approved after its rejection`, await decided(world.deputy, 'approve'), {
      status: 409,
    });
    trials.holds(`${path} rejected has no effect`, await balance(), before);
  }
}
