/** @long */
import { conflict, unavailable } from '../../src/kernel/errors';
import { keyName } from '../../src/kernel/idempotency';
import { json, type Kit, testKit } from './kit';

let kit: Kit;
let client: Record<string, string>;
beforeAll(async () => {
  kit = await testKit();
  client = await kit.client();
});
afterAll(() => kit.close());

let keys = 0;
const newKey = () => {
  keys += 1;
  return `key-${keys}`;
};
const post = (body: unknown, key: string, path = '/things', headers = client) =>
  kit.call(path, json(body, { ...headers, 'x-idempotency-key': key }));
const replayed = (answer: { headers: Record<string, unknown> }) => answer.headers['x-idempotent-replayed'];

it('executes one of 50 identical concurrent requests, and answers all alike or with idempotency_in_progress', async () => {
  const before = await kit.count();
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post({ amount: '7', waitSeconds: 0.3 }, key)),
  );
  const made = answers.filter((answer) => answer.status === 201);
  const others = answers.filter((answer) => answer.status !== 201);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
  expect(made.filter((answer) => replayed(answer) === undefined)).toHaveLength(1);
  expect(others.map((answer) => answer.body.code)).toEqual(others.map(() => 'idempotency_in_progress'));
  expect(others.map((answer) => answer.status)).toEqual(others.map(() => 409));
  expect(await kit.count()).toBe(before + 1);
  const later = await post({ amount: '7', waitSeconds: 0.3 }, key);
  expect([later.status, later.text, replayed(later)]).toEqual([201, made[0]?.text, 'true']);
});

it('treats another order of fields and other whitespace as the same request', async () => {
  const key = newKey();
  const first = await post('{"amount": "3", "note": "a"}', key);
  const again = await post('{ "note":"a","amount":"3" }', key);
  expect([again.status, again.text]).toEqual([201, first.text]);
});

it('refuses the key with another body or query', async () => {
  const key = newKey();
  await post({ amount: '3' }, key);
  for (const other of [await post({ amount: '4' }, key), await post({ amount: '3' }, key, '/things?x=1')])
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
});

it('stores a refusal, undoes its writes, and repeats it even if the operation would now succeed', async () => {
  const before = await kit.count();
  const key = newKey();
  const refused = await post({ amount: '500' }, key);
  expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', field: 'amount' } });
  expect(await kit.count()).toBe(before);
  await kit.database.query('update limits set most = 1000');
  const again = await post({ amount: '500' }, key);
  await kit.database.query('update limits set most = 100');
  expect([again.status, again.text, replayed(again)]).toEqual([409, refused.text, 'true']);
  const kyc = newKey();
  expect(await post({ amount: '1', note: 'kyc' }, kyc)).toMatchObject({ status: 412 });
  expect(replayed(await post({ amount: '1', note: 'kyc' }, kyc))).toBe('true');
});

it('stores neither a 400 nor a 5xx', async () => {
  const key = newKey();
  expect((await post({ amount: 5 }, key)).status).toBe(400);
  expect((await post({ amount: '1001' }, key)).status).toBe(500);
  const right = await post({ amount: '5' }, key);
  expect([right.status, replayed(right)]).toEqual([201, undefined]);
});

it('separates keys by tenant, method and path', async () => {
  const key = newKey();
  const other = await kit.client();
  const answers = [
    await post({ amount: '2' }, key),
    await post({ amount: '2' }, key, '/required'),
    await post({ amount: '2' }, key, '/things', other),
  ];
  expect(answers.map((answer) => [answer.status, replayed(answer)])).toEqual(
    answers.map(() => [201, undefined]),
  );
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(3);
  const { id } = answers[0]?.body as { id: string };
  const removal = () =>
    kit.call(`/things/${id}`, { method: 'DELETE', headers: { ...client, 'x-idempotency-key': key } });
  expect([(await removal()).status, replayed(await removal())]).toEqual([204, 'true']);
});

it('keeps the key of an operation that requires one for ever', async () => {
  const key = newKey();
  await post({ amount: '2' }, key);
  await post({ amount: '2' }, key, '/required');
  const isPermanent = (scope: string) =>
    kit.database.query('select permanent from idempotency_keys where name = $1', [
      keyName(client['x-client-id']!, scope, key),
    ]);
  expect(await isPermanent('POST /required')).toEqual([{ permanent: true }]);
  expect(await isPermanent('POST /things')).toEqual([{ permanent: false }]);
});

it('accepts 1 to 255 printable ASCII characters', async () => {
  for (const good of ['!', '~ a "quoted" key ~', 'x'.repeat(255)])
    expect([good, (await post({ amount: '1' }, good)).status]).toEqual([good, 201]);
  for (const bad of ['', 'x'.repeat(256), 'caf\u00e9', 'tab\tinside'])
    expect((await post({ amount: '1' }, bad)).body).toMatchObject({
      code: 'invalid_request',
      field: 'x-idempotency-key',
    });
});

it('is ignored on GET', async () => {
  const headers = { ...client, 'x-idempotency-key': 'x'.repeat(300) };
  const answer = await kit.call('/things', { headers });
  expect([answer.status, replayed(answer)]).toEqual([200, undefined]);
});

describe('the step before the transaction', () => {
  const refuse = (problem: Error) => {
    kit.outside.asked = () => Promise.reject(problem);
  };
  afterEach(() => {
    kit.outside.asked = async () => undefined;
  });

  it('is skipped for a repeat', async () => {
    const key = newKey();
    const first = await post({ amount: '2' }, key, '/prepared');
    refuse(unavailable());
    const again = await post({ amount: '2' }, key, '/prepared');
    expect([again.status, again.text, replayed(again)]).toEqual([201, first.text, 'true']);
    expect((await post({ amount: '3' }, key, '/prepared')).body.code).toBe('idempotency_mismatch');
    expect((await post({ amount: '2' }, newKey(), '/prepared')).status).toBe(503);
  });

  it('stores its refusal under the key, but no other failure', async () => {
    const key = newKey();
    refuse(unavailable());
    expect((await post({ amount: '2' }, key, '/prepared')).status).toBe(503);
    refuse(conflict('invalid_transition', 'Not now.'));
    const refused = await post({ amount: '2' }, key, '/prepared');
    kit.outside.asked = async () => undefined;
    const again = await post({ amount: '2' }, key, '/prepared');
    expect([again.status, again.text, replayed(again)]).toEqual([409, refused.text, 'true']);
  });

  it('repeats a refusal that was stored before the step', async () => {
    const key = newKey();
    kit.outside.asked = () => {
      throw conflict('invalid_transition', 'Not now.');
    };
    const refused = await post({ amount: '2' }, key, '/prepared');
    kit.outside.asked = async () => undefined;
    const again = await post({ amount: '2' }, key, '/prepared');
    expect([again.status, again.text, replayed(again)]).toEqual([409, refused.text, 'true']);
  });

  it('is ignored when the same request has ended meanwhile', async () => {
    const key = newKey();
    let first: Awaited<ReturnType<typeof post>> | undefined;
    kit.outside.asked = async () => {
      kit.outside.asked = async () => undefined;
      first = await post({ amount: '2' }, key, '/prepared');
      throw unavailable();
    };
    const second = await post({ amount: '2' }, key, '/prepared');
    expect([second.status, second.text, replayed(second)]).toEqual([201, first?.text, 'true']);
  });
});

describe('when the connection breaks during the commit', () => {
  it('finds the outcome of the commit by the key', async () => {
    const before = await kit.count();
    const key = newKey();
    kit.proxy.cutNextCommit();
    const answer = await post({ amount: '9' }, key);
    expect(answer).toMatchObject({ status: 201, body: { amount: '9.00' } });
    expect(await kit.count()).toBe(before + 1);
    const again = await post({ amount: '9' }, key);
    expect([again.text, replayed(again)]).toEqual([answer.text, 'true']);
    expect(await kit.count()).toBe(before + 1);
  });

  it('reports an unknown outcome without a key', async () => {
    const before = await kit.count();
    kit.proxy.cutNextCommit();
    const answer = await kit.call('/things', json({ amount: '9' }, client));
    expect(answer).toMatchObject({ status: 503, body: { code: 'outcome_unknown' } });
    expect(answer.headers['retry-after']).toBe('2');
    // The commit may still be under way, as the answer says.
    while ((await kit.count()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await kit.count()).toBe(before + 1);
  });

  it('reports an unknown outcome when the key cannot be read, and a repeat has no second effect', async () => {
    const before = await kit.count();
    const key = newKey();
    kit.proxy.cutNextCommit({ away: true });
    const answer = await post({ amount: '9' }, key);
    await kit.proxy.comeBack();
    expect(answer).toMatchObject({ status: 503, body: { code: 'outcome_unknown' } });
    const again = await post({ amount: '9' }, key);
    expect([again.status, replayed(again)]).toEqual([201, 'true']);
    expect(await kit.count()).toBe(before + 1);
  });

  it('reports that nothing was recorded when the commit failed', async () => {
    const before = await kit.count();
    await kit.database.query(`
      create function die() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
    await kit.database.query(`
      create constraint trigger dies after insert on things deferrable initially deferred
        for each row execute function die()`);
    const key = newKey();
    const answer = await post({ amount: '9' }, key);
    await kit.database.query('drop trigger dies on things');
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await kit.count()).toBe(before);
    const again = await post({ amount: '9' }, key);
    expect([again.status, replayed(again)]).toEqual([201, undefined]);
    expect(await kit.count()).toBe(before + 1);
  });
});

describe('when the database is away', () => {
  it('answers 503 with Retry-After, records nothing, and recovers by itself', async () => {
    const before = await kit.count();
    await kit.proxy.goAway();
    const key = newKey();
    for (const answer of [
      await post({ amount: '9' }, key),
      await kit.call('/things', { headers: client }),
      await kit.call('/things/1', { headers: client }),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(answer.headers['retry-after']).toBe('2');
    }
    await kit.proxy.comeBack();
    const back = await post({ amount: '9' }, key);
    expect([back.status, replayed(back)]).toEqual([201, undefined]);
    expect(await kit.count()).toBe(before + 1);
  });

  it('answers requests in flight with a 503 and later ones normally', async () => {
    const before = await kit.count();
    const running = Array.from({ length: 5 }, () =>
      kit.call('/things', json({ amount: '1', waitSeconds: 15 }, client)),
    );
    const killed = new Set<number>();
    while (killed.size < 5) {
      // A connection that is ending may still be listed.
      const rows = await kit.database.query<{ pid: number }>(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'kit' and query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()`,
      );
      for (const { pid } of rows) killed.add(pid);
    }
    for (const answer of await Promise.all(running))
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await kit.count()).toBe(before);
    expect((await kit.call('/things', json({ amount: '1' }, client))).status).toBe(201);
  });
});
