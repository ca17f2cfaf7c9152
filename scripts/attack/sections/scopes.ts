import { SCOPES, type Scope } from '../../../src/kernel/scopes';
import { draftsOf } from '../../../test/attack/requests';
import type { Trials } from '../trials';
import { type Attacker, changedTables, type World } from '../world';

/** Scope sets of the two tenants that hold their secrets: a tenant has at most twenty names. */
const HOLDERS = 2;

/** Every set of scopes but the empty one and the whole, small sets first. */
const SETS: Scope[][] = SCOPES.reduce<Scope[][]>(
  (sets, scope) => [...sets, ...sets.map((set) => [...set, scope])],
  [[]],
)
  .filter(({ length }) => length > 0 && length < SCOPES.length)
  .sort((a, b) => a.length - b.length);

interface Narrowed {
  scopes: Scope[];
  headers: Attacker['headers'];
}

/** Calls each operation with each set of scopes that lacks its own. */
export async function scopes(world: World, trials: Trials): Promise<void> {
  const { operations, ask } = world;
  const held = { client: await narrowed(world, 'client'), admin: await narrowed(world, 'admin') };
  const mentions = [...held.client.tenants, ...held.admin.tenants];
  const before = await world.traces(...mentions);
  const bodies = new Map(
    operations.map((each) => [each.name, draftsOf(world, each, 1).at(-1)?.body ?? undefined]),
  );
  const cases = operations.map((operation) => {
    const { secrets } = held[operation.role === 'admin' ? 'admin' : 'client'];
    const lacking = secrets.filter(({ scopes: set }) => operation.scope && !set.includes(operation.scope));
    return lacking.map((secret) => ({ operation, ...secret }));
  });
  for (const { operation, scopes: set, headers } of trials.spread(cases)) {
    const { name, method, scope } = operation;
    const body = method === 'GET' ? undefined : bodies.get(name);
    const answer = await ask(method, await world.pathOf(operation), body, {
      ...headers,
      'x-idempotency-key': `scope-${set.join('-')}`,
    });
    const says = `does not have the scope ${scope}.`;
    trials.answered(`${name} with ${set.join()}`, answer, { status: 403, code: 'scope_missing', says });
  }
  const traces = changedTables(before, await world.traces(...mentions));
  trials.holds('refusals for a scope leave no trace', traces, []);
  // Proves that the cases above were refused for the scope alone.
  for (const operation of operations) {
    const { secrets } = held[operation.role === 'admin' ? 'admin' : 'client'];
    const right = secrets.find(({ scopes: [one, ...more] }) => one === operation.scope && more.length === 0);
    const body = operation.method === 'GET' ? undefined : { unknownField: 1 };
    const { body: told } = await ask(operation.method, await world.pathOf(operation), body, right?.headers);
    trials.holds(`${operation.name} with its scope`, told?.code === 'scope_missing', false);
  }
}

async function narrowed(world: World, role: 'client' | 'admin') {
  const tenants: string[] = [];
  const secrets: Narrowed[] = [];
  for (let holder = 0; holder < HOLDERS; holder += 1) {
    const { clientId } = await world.tenant(role);
    tenants.push(clientId);
    for (const set of SETS.filter((_, at) => at % HOLDERS === holder))
      secrets.push({ scopes: set, headers: await world.secret(clientId, { scopes: set }) });
  }
  return { tenants, secrets };
}
