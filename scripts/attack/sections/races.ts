import { randomUUID } from 'node:crypto';
import { MOVES, type Move } from '../../../test/attack/moves';
import { resolvedIn } from '../../../test/support/documented';
import type { Trials } from '../trials';
import { type Attacker, askOf, NOBODY, type World } from '../world';

const AT_ONCE = 20;

/** Every operation that takes a key always, or that the document refuses for want of money. */
export function moving(document: any): string[] {
  return Object.entries<any>(document.paths).flatMap(([path, { post }]) => {
    const isKeyed = post?.parameters?.some((one: any) => one.name === 'x-idempotency-key' && one.required);
    const conflict = resolvedIn(document, post?.responses[409]);
    return isKeyed || conflict?.description.includes('`insufficient_funds`') ? [`POST ${path}`] : [];
  });
}

interface Call {
  ask: Attacker['ask'];
  path: string;
  body: Record<string, unknown>;
}

/** Each operation that moves money, at once many times, under one key and under many. */
export async function races(world: World, trials: Trials): Promise<void> {
  const admin = await world.tenant('admin');
  const known = new Set(MOVES.map(({ operation }) => operation));
  trials.holds(
    'every operation that moves money is raced',
    moving(world.documents.api).filter((operation) => !known.has(operation)),
    [],
  );
  for (const move of trials.some(MOVES)) {
    await refilled(world, admin);
    const calls = [await callOf(world, move, admin), await callOf(world, move, admin)];
    const [call, other] = calls;
    if (!call || !other) continue;
    await oneKey(trials, move, call);
    if (move.quote) await oneQuote(trials, move, other);
    else if (move.purse) await emptyPurse(world, trials, move, other);
  }
}

/** Each move finds money, whatever the moves before it have taken. */
async function refilled({ records }: World, { ask }: Attacker): Promise<void> {
  for (const kind of ['account', 'euroAccount'] as const) {
    const body = { accountId: await records.id(kind), amount: '500.00', reason: 'attack' };
    await ask('POST', '/v1/accounts/admin-deposit', body);
  }
}

/** Undefined where the attack has no record that the move needs. */
async function callOf(world: World, move: Move, admin: Attacker): Promise<Call | undefined> {
  const { records } = world;
  const client = askOf(records.client);
  const ask = move.by === 'admin' ? admin.ask : client;
  try {
    const [path, body] = [await move.path(records), await move.body(records)];
    if (!move.quote) return { ask, path, body };
    const asked = await move.quote(records);
    const quoted = await client('POST', asked.path, asked.body);
    return quoted.status === 201 ? { ask, path, body: { ...body, quoteId: quoted.body.quoteId } } : undefined;
  } catch {
    return undefined;
  }
}

const many = ({ ask, path, body }: Call, key: () => string) =>
  Promise.all(Array.from({ length: AT_ONCE }, () => ask('POST', path, body, { 'x-idempotency-key': key() })));

async function oneKey(trials: Trials, { what }: Move, call: Call): Promise<void> {
  const key = randomUUID();
  const answers = await many(call, () => key);
  const final = answers.filter(({ body }) => body?.code !== 'idempotency_in_progress');
  trials.holds(`${what}: one key has one answer`, new Set(final.map(({ text }) => text)).size, 1);
  const first = final.filter(({ headers }) => headers['x-idempotent-replayed'] === undefined);
  trials.holds(`${what}: one key has one effect`, first.length, 1);
  const mixed = await call.ask(
    'POST',
    call.path,
    { ...call.body, description: NOBODY },
    { 'x-idempotency-key': key },
  );
  // A field that the operation lacks is refused before the key is looked up.
  trials.answered(`${what}: its key with another body`, mixed, { status: [400, 422] });
}

async function oneQuote(trials: Trials, { what, status }: Move, call: Call): Promise<void> {
  const answers = await many(call, randomUUID);
  const done = answers.filter((answer) => answer.status === status);
  trials.holds(`${what}: a quote is used once`, done.length, 1);
  for (const answer of answers)
    if (answer.status !== status)
      trials.answered(`${what}: a used quote`, answer, { status: 409, code: 'quote_used' });
}

const LEFT = 100;

/** Takes most of an account's money, many times at once. */
async function emptyPurse(
  { records, ...world }: World,
  trials: Trials,
  { what, purse }: Move,
  call: Call,
): Promise<void> {
  if (purse !== 'account' && purse !== 'euroAccount') return;
  const accountId = await records.id(purse);
  const available = async () =>
    Number((await records.client.call('GET', `/v2/accounts/${accountId}/balance`)).body.available);
  const { ask } = await world.tenant('admin');
  // Below the limits of every method.
  const amount = ((await available()) - LEFT).toFixed(2);
  await ask('POST', '/v1/accounts/admin-withdrawal', { accountId, amount, reason: 'attack' });
  // More than half of the balance, so that only one can succeed, with its fee.
  const body = { ...call.body, amount: (LEFT * 0.6).toFixed(2) };
  const answers = await many({ ...call, body }, randomUUID);
  const done = answers.filter(({ status }) => status < 300).length;
  trials.holds(`${what}: money for one is taken once`, done, 1);
  trials.holds(`${what}: the account is not below zero`, (await available()) >= 0, true);
}
