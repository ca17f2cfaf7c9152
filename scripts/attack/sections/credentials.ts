import { asking, type Told } from '../../../test/support/ask';
import type { Trials } from '../trials';
import { type Attacker, changedTables, type World } from '../world';

/** A change by another process counts within a second. */
const SPREAD_MS = 1_200;
const READ = '/v1/accounts';
const WRONG = { status: 401, code: 'unauthorized' } as const;

/** Secrets that are none: by a stranger, from elsewhere, replaced, ended, or of a disabled tenant. */
export async function credentials(world: World, trials: Trials): Promise<void> {
  // Failed sign-ins slow this machine's address down, so those who fail most come last.
  await endings(world, trials);
  await disabled(world, trials);
  await addresses(world, trials);
  await strangers(world, trials);
  await guesses(world, trials);
}

/** Wrong secrets wait beside one another, not one after another. */
const together = <T>(cases: readonly T[], attempt: (given: T) => Promise<void>): Promise<void[]> =>
  Promise.all(cases.map(attempt));

async function strangers(world: World, trials: Trials): Promise<void> {
  const { operations, ask } = world;
  const [client, other] = [await world.tenant(), await world.tenant()];
  const { 'x-client-id': id, 'x-client-secret': secret } = client.headers;
  const forged: [what: string, headers: Record<string, string>][] = [
    ['no credential', {}],
    ['a secret alone', { 'x-client-secret': secret }],
    ['another tenant’s secret', { 'x-client-id': id, 'x-client-secret': other.headers['x-client-secret'] }],
  ];
  const before = await world.traces(client.clientId);
  const cases = operations.map((operation) =>
    forged.map(([what, headers]) => ({ operation, what, headers })),
  );
  await together(trials.spread(cases), async ({ operation, what, headers }) => {
    const answer = await ask(operation.method, await world.pathOf(operation), undefined, headers);
    trials.answered(`${operation.name} with ${what}`, answer, WRONG);
  });
  const spoilt: [what: string, secret: string][] = [
    ['a cut secret', secret.slice(0, -1)],
    ['a longer secret', `${secret}A`],
    ['a secret in other letters', secret.toUpperCase()],
    ['two secrets', `${secret}, ${secret}`],
    ['an empty secret', ''],
    ['a secret of 8 KiB', 'x'.repeat(8_000)],
  ];
  await together(spoilt, async ([what, given]) => {
    const answer = await client.ask('GET', READ, undefined, { 'x-client-secret': given });
    trials.answered(what, answer, WRONG);
  });
  const refusals = ['audit_log'];
  const traces = changedTables(before, await world.traces(client.clientId));
  trials.holds(
    'wrong secrets leave their refusal alone',
    traces.filter((table) => !refusals.includes(table)),
    [],
  );
  for (const operation of trials.some(operations.filter(({ role }) => role === 'admin'))) {
    const answer = await client.ask(operation.method, await world.pathOf(operation));
    trials.answered(`${operation.name} by a client`, answer, { status: 403, code: 'forbidden' });
  }
}

/** Headers by which a caller claims another address. Without trusted proxies nobody believes them. */
const CLAIMS = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-client-ip',
];

async function addresses(world: World, trials: Trials): Promise<void> {
  const { clientId } = await world.tenant();
  const elsewhere = await world.secret(clientId, { addresses: ['203.0.113.7', '2001:db8::/32'] });
  const here = await world.secret(clientId, { addresses: ['203.0.113.7', '127.0.0.0/8', '::1'] });
  const ask = asking(world.api, elsewhere);
  const wrong = await ask('GET', READ, undefined, { 'x-client-secret': 'wrong' });
  const foreign = await ask('GET', READ);
  trials.answered('a secret from a wrong address', foreign, WRONG);
  const bare = ({ body }: Told) => ({ ...body, requestId: '' });
  trials.holds('a wrong address looks like a wrong secret', bare(foreign), bare(wrong));
  await together(CLAIMS, async (claim) => {
    const value = claim === 'forwarded' ? 'for=203.0.113.7' : '203.0.113.7';
    trials.answered(
      `a wrong address with ${claim}`,
      await ask('GET', READ, undefined, { [claim]: value }),
      WRONG,
    );
  });
  trials.answered('a secret from its address', await world.ask('GET', READ, undefined, here), {
    status: 200,
  });
}

async function endings(world: World, trials: Trials): Promise<void> {
  const { clientId, headers: main } = await world.tenant();
  const read = (headers: Attacker['headers']) => world.ask('GET', READ, undefined, headers);
  const scopes = ['read', 'manage'] as const;
  const named = await world.secret(clientId, { name: 'reporting', scopes });
  const other = await world.secret(clientId, { name: 'accounting', scopes: ['read'] });
  const rotate = (headers: Attacker['headers'], overlapSeconds: number) =>
    world.ask('POST', '/v1/client/secret/rotate', { overlapSeconds }, headers);
  const rotated = await rotate(named, 3_600);
  const second = { ...named, 'x-client-secret': String(rotated.body.clientSecret) };
  trials.answered('the old secret in its overlap', await read(named), { status: 200 });
  trials.answered('a rotation by the old secret', await rotate(named, 0), { status: [403, 409] });
  const wider = await world.ask('POST', '/v1/users', {}, second);
  trials.answered('a rotated secret keeps its scopes', wider, { status: 403, code: 'scope_missing' });
  const last = await rotate(second, 0);
  const third = { ...named, 'x-client-secret': String(last.body.clientSecret) };
  for (const [what, headers] of [
    ['first', named],
    ['second', second],
  ] as const)
    trials.answered(`the ${what} of three rotated secrets, at once`, await read(headers), WRONG);
  trials.answered('the third', await read(third), { status: 200 });
  await world.decide(world.chief, 'client.secret.revoke', {
    subject: clientId,
    input: { name: 'reporting' },
  });
  await new Promise((resolve) => setTimeout(resolve, SPREAD_MS));
  trials.answered('a revoked secret', await read(third), WRONG);
  for (const [what, headers] of [
    ['another name', other],
    ['main', main],
  ] as const)
    trials.answered(`${what} after a revocation`, await read(headers), { status: 200 });
}

async function disabled(world: World, trials: Trials): Promise<void> {
  const client = await world.tenant();
  const narrow = await world.secret(client.clientId, { scopes: ['read'] });
  await world.decide(world.chief, 'client.disable', { subject: client.clientId });
  await new Promise((resolve) => setTimeout(resolve, SPREAD_MS));
  const ended = { status: 401, code: 'client_disabled' } as const;
  const before = await world.traces(client.clientId);
  for (const operation of trials.some(world.operations)) {
    const answer = await client.ask(operation.method, await world.pathOf(operation));
    trials.answered(`${operation.name} by a disabled tenant`, answer, ended);
  }
  trials.holds(
    'a disabled tenant leaves no trace',
    changedTables(before, await world.traces(client.clientId)),
    [],
  );
  trials.answered('its narrowed secret', await world.ask('GET', READ, undefined, narrow), ended);
  const wrong = { ...client.headers, 'x-client-secret': 'wrong' };
  trials.answered('its wrong secret', await world.ask('GET', READ, undefined, wrong), WRONG);
  await world.decide(world.chief, 'client.enable', { subject: client.clientId });
  await new Promise((resolve) => setTimeout(resolve, SPREAD_MS));
  trials.answered('the tenant enabled again', await client.ask('GET', READ), { status: 200 });
}

/** Wrong secrets of an address come later and later; the right one from there is answered at once. */
async function guesses(world: World, trials: Trials): Promise<void> {
  const client = await world.tenant();
  const timed = async (headers?: Record<string, string>) => {
    const begun = performance.now();
    const answer = await client.ask('GET', READ, undefined, headers);
    return { answer, ms: performance.now() - begun };
  };
  await timed();
  const flood = Array.from({ length: 60 }, () => timed({ 'x-client-secret': 'wrong' }));
  const right = await timed();
  trials.answered('the right secret during a flood of wrong ones', right.answer, { status: 200 });
  const wrong = await Promise.all(flood);
  for (const { answer } of wrong) trials.answered('a guess', answer, WRONG);
  const slowest = Math.max(...wrong.map(({ ms }) => ms));
  trials.holds('guesses are slowed', slowest > 1_500, true);
  trials.holds('the right secret is not', right.ms < slowest / 2, true);
}
