import { randomUUID } from 'node:crypto';
import { PERMISSIONS } from '../../../src/kernel/permissions';
import { asking, type Told } from '../../../test/support/ask';
import { callDesk } from '../desk-request';
import type { Trials } from '../trials';
import { type Hired, made, type World } from '../world';
import { eachMissing } from './admins';

const NO_SESSION = { status: 401, code: 'unauthorized' } as const;
const DECODE = '/desk/v1/temporal/decode';
const SIGN_OUT = '/desk/v1/sessions/current';

/** Operations of the desk that no permission opens or closes, with the reason. */
const WITHOUT_PERMISSION: Record<string, string> = {
  'DELETE /desk/v1/sessions/current': 'it ends the own session',
};

/** The desk: sessions, codes, forms of other sites, decisions that are repeated or on changed ground. */
export async function desk(world: World, trials: Trials): Promise<void> {
  const mallory = await world.hire();
  await strangers(world, trials, mallory);
  await browsers(world, trials);
  await permissions(world, trials, mallory);
  await decisions(world, trials);
  await pages(world, trials);
  await codes(world, trials, mallory);
}

async function cookieSession({ askDesk, people }: World, person = people.deputy) {
  const answer = await askDesk('POST', '/desk/v1/sessions', { ...person, transport: 'cookie' });
  const { csrfToken } = made(answer);
  const set = String(answer.headers['set-cookie']);
  return { set, cookie: set.split(';')[0] ?? '', csrf: String(csrfToken) };
}

async function strangers(world: World, trials: Trials, mallory: Hired): Promise<void> {
  const { askDesk, deskOperations, people } = world;
  const begun = made(await askDesk('POST', '/desk/v1/sessions', people.deputy));
  const bearer = { authorization: `Bearer ${begun.token}` };
  trials.answered('signing out', await askDesk('DELETE', SIGN_OUT, undefined, bearer), { status: 204 });
  const live = made(await askDesk('POST', '/desk/v1/sessions', people.deputy));
  const { cookie } = await cookieSession(world);
  const forged: [what: string, headers: Record<string, string>][] = [
    ['no session', {}],
    ['an ended session', bearer],
    ['a random token', { authorization: `Bearer ${Buffer.alloc(32, 7).toString('base64url')}` }],
    ['a secret as a token', { authorization: `Bearer ${people.deputy.secret}` }],
    ['a bearer token as a cookie', { cookie: `cardwright_desk=${live.token}` }],
    ['a cookie as a bearer token', { authorization: `Bearer ${cookie.split('=')[1]}` }],
    ['a client’s credential', headersOf(world)],
  ];
  const before = await world.traces(mallory.id);
  const cases = deskOperations.map((operation) =>
    forged.map(([what, headers]) => ({ operation, what, headers })),
  );
  for (const { operation, what, headers } of trials.spread(cases))
    trials.answered(
      `${operation.name} with ${what}`,
      await callDesk(askDesk, operation, headers),
      NO_SESSION,
    );
  trials.holds('strangers leave no trace', await world.traces(mallory.id), before);
}

const headersOf = ({ records: { client } }: World) => ({
  'x-client-id': client.clientId,
  'x-client-secret': client.clientSecret,
});

/** Forms and scripts of other sites, in the browser of an operator who is signed in. */
async function browsers(world: World, trials: Trials): Promise<void> {
  const { deskOperations } = world;
  const [own, other] = [await cookieSession(world), await cookieSession(world)];
  for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/'])
    trials.holds(`the cookie is ${flag}`, own.set.includes(`; ${flag}`), true);
  trials.holds('the cookie names no domain', /domain/i.test(own.set), false);
  const browser = asking(world.desk, { cookie: own.cookie });
  const attempts: [what: string, headers: Record<string, string>][] = [
    ['without the CSRF token', {}],
    ['with a wrong CSRF token', { 'x-csrf-token': 'x' }],
    ['with the CSRF token of another session', { 'x-csrf-token': other.csrf }],
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ];
  const changing = deskOperations.filter(({ method, path }) => method !== 'GET' && path !== DECODE);
  const cases = changing.map((operation) =>
    attempts.map(([what, headers]) => ({ operation, what, headers })),
  );
  for (const { operation, what, headers } of trials.spread(cases))
    trials.answered(`${operation.name} ${what}`, await callDesk(browser, operation, headers), {
      status: 403,
      says: 'CSRF',
    });
  for (const operation of trials.some(deskOperations)) {
    const headers = { origin: 'https://evil.example', 'x-csrf-token': own.csrf };
    if (operation.path === SIGN_OUT) continue;
    const { headers: told } = await callDesk(browser, operation, headers);
    trials.holds(`${operation.name} lets no other site read`, told['access-control-allow-origin'], undefined);
  }
  const decode = deskOperations.filter(({ path }) => path === DECODE);
  for (const operation of decode)
    for (const origin of ['https://evil.example', 'null'])
      trials.answered(`${operation.name} from ${origin}`, await callDesk(browser, operation, { origin }), {
        status: 403,
      });
  trials.holds('the document has the codec endpoint', decode.length, 1);
}

async function permissions(world: World, trials: Trials, mallory: Hired): Promise<void> {
  const operations = world.deskOperations.filter(({ name }) => !(name in WITHOUT_PERMISSION));
  const refused = await eachMissing(
    trials,
    operations,
    (permission) =>
      world.permit(
        mallory.id,
        PERMISSIONS.filter((each) => each !== permission),
      ),
    (operation) => callDesk(mallory.ask, operation),
  );
  await world.permit(mallory.id, PERMISSIONS);
  // The approval, or the kind of the record, decides which permission it takes. This one does not exist.
  for (const [{ name, path }, named] of refused)
    if (!/\/(approve|reject|content)$/.test(path))
      trials.holds(`${name} takes one permission`, named.length, 1);
  const blind = await world.hire(['review']);
  const [{ id } = { id: '' }] = (await world.chief('GET', '/desk/v1/lists/sessions')).body.data;
  const ended = await world.decide(blind.ask, 'session.end', { subject: id });
  trials.answered("another operator's session, without security", ended, { status: 403 });
}

/** A decision under a repeated key, with another input, at once many times, and on changed ground. */
async function decisions(world: World, trials: Trials): Promise<void> {
  const { decide, chief, deputy } = world;
  const { clientId: subject } = await world.tenant();
  const name = 'client.settings';
  const input = (perSecond: number) => ({ set: [`rateLimit.perSecond=${perSecond}`] });
  const key = randomUUID();
  const many = await Promise.all(
    Array.from({ length: 20 }, () => decide(chief, name, { subject, input: input(501) }, key)),
  );
  const done = many.filter(({ body }) => body?.code !== 'idempotency_in_progress');
  trials.holds('one key has one answer', new Set(done.map(({ text }) => text)).size, 1);
  const fresh = done.filter(({ headers }) => headers['x-idempotent-replayed'] === undefined);
  trials.holds('one key has one effect', fresh.length, 1);
  const mixed = await decide(chief, name, { subject, input: input(502) }, key);
  trials.answered('a key with another input', mixed, { status: 422, code: 'idempotency_mismatch' });
  const other = await decide(deputy, name, { subject, input: input(501) }, key);
  trials.holds("another operator's key is another", other.headers['x-idempotent-replayed'], undefined);
  const seen = await chief('POST', `/desk/v1/decisions/${name}/preview`, { subject, input: input(503) });
  made(await decide(deputy, name, { subject, input: input(504) }));
  const late = await decide(chief, name, { subject, input: input(503), version: seen.body.version });
  trials.answered('a decision on changed ground', late, { status: 409, code: 'version_conflict' });
  const unkeyed = await chief('POST', `/desk/v1/decisions/${name}`, {
    subject,
    input: input(505),
    reason: 'attack',
  });
  trials.answered('a decision without a key', unkeyed, { status: 400, code: 'idempotency_key_required' });
}

/** Every page that a page of the console links to, without a session and by forms of another site. */
async function pages(world: World, trials: Trials): Promise<void> {
  const { cookie } = await cookieSession(world);
  const found = new Set(['/']);
  for (const path of ['/', '/desks', '/records']) {
    const { text } = await world.askDesk('GET', path, undefined, { cookie });
    for (const [, to = ''] of text.matchAll(/href="(\/[^"#?]*)"/g)) found.add(to);
  }
  const inner = [...found].filter((path) => !/^\/(assets|docs|sign-in|join|openapi)/.test(path));
  trials.holds('the console has pages', inner.length > 5, true);
  for (const path of trials.some(inner)) {
    const stranger = await world.askDesk('GET', path, undefined, { accept: 'text/html' });
    trials.answered(`${path} without a session`, stranger, { status: 303 });
    const form = { 'content-type': 'application/x-www-form-urlencoded', cookie };
    for (const [what, from] of [
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['a page without origin', {}],
      ['another origin', { origin: 'https://evil.example' }],
    ] as const) {
      const sent = await world.askDesk('POST', path, 'csrf=x', { ...form, ...from });
      trials.answered(`a form for ${path} by ${what}`, sent, { status: [403, 404, 405] });
    }
    const page = await world.askDesk('GET', path, undefined, { cookie });
    const policy = String(page.headers['content-security-policy']);
    trials.holds(`${path} cannot be framed`, policy.includes("frame-ancestors 'none'"), true);
  }
}

/** Names are not told apart, a code works once, and guesses wait. */
async function codes(world: World, trials: Trials, mallory: Hired): Promise<void> {
  const signIn = (given: object) => world.askDesk('POST', '/desk/v1/sessions', given);
  const { name, secret } = mallory;
  const bare = ({ status, body }: Told) => ({ status, ...body, requestId: '' });
  const unknown = await signIn({ name: randomUUID(), secret: 'wrong' });
  trials.answered('an unknown name', unknown, NO_SESSION);
  for (const [what, given] of [
    ['a known name with a wrong secret', { name, secret: 'wrong' }],
    ['a right secret without a code', { name, secret }],
    ['a right secret with a used code', { name, secret, code: mallory.used }],
    ['a right secret with an old code', { name, secret, code: mallory.code(-4) }],
  ] as const)
    trials.holds(`${what} looks like an unknown name`, bare(await signIn(given)), bare(unknown));
  const next = { name, secret, code: mallory.code(1) };
  const both = await Promise.all(Array.from({ length: 8 }, () => signIn(next)));
  trials.holds(
    'of one code at once, one session begins',
    both.filter(({ status }) => status === 201).length,
    1,
  );
  const guessed = await Promise.all(Array.from({ length: 12 }, () => signIn({ name, secret: 'wrong' })));
  trials.holds('guesses wait', guessed.filter(({ status }) => status === 429).length > 5, true);
  const links = ['look', 'use'].map((how) => [how, `/desk/v1/links/${how}`] as const);
  for (const [how, path] of links) {
    const body = { token: randomUUID(), ...(how === 'use' ? { secret: randomUUID(), code: '123456' } : {}) };
    trials.answered(`a random link, ${how}`, await world.askDesk('POST', path, body), { status: [400, 404] });
  }
}
