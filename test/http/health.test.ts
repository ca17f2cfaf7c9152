import { buildId } from '../../src/kernel/build';
import { createReadiness } from '../../src/kernel/readiness';
import { testApi } from '../support/api';

it('reports that the process serves, without credentials', async () => {
  const api = await testApi();
  const answer = await api.call('GET', '/health');
  expect([answer.status, answer.body]).toEqual([200, { status: 'ok', build: buildId() }]);
  expect(buildId()).toMatch(/^\d+\.\d+\.\d+\S*\+[0-9a-f]{12}$/);
  expect((await api.call('HEAD', '/health')).status).toBe(200);
  await api.close();
});

it('reports readiness, or a 503 in the error format naming the parts that are down', async () => {
  let away = false;
  const answers = async () => !away;
  let at = 0;
  const readiness = createReadiness(
    { needed: { postgres: answers }, named: { temporal: answers } },
    () => at,
  );
  const api = await testApi({ readiness: readiness.ask });
  const ready = await api.call('GET', '/health/ready');
  expect([ready.status, ready.body]).toEqual([
    200,
    { status: 'ok', checks: { postgres: 'up', temporal: 'up' } },
  ]);
  away = true;
  at = 1_000;
  const answer = await api.call('GET', '/health/ready', undefined, { 'x-request-id': 'probe-1' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(answer.body).toEqual({
    code: 'unavailable',
    message: 'The process is not ready: postgres does not answer, temporal does not answer.',
    requestId: 'probe-1',
    checks: { postgres: 'down', temporal: 'down' },
  });
  await api.close();
});

describe('readiness', () => {
  const up = async () => true;
  const down = async () => false;

  it('depends on needed parts, and only names the others', async () => {
    expect(await createReadiness({ needed: { postgres: up }, named: { temporal: down } }).ask()).toEqual({
      state: 'ready',
      checks: { postgres: 'up', temporal: 'down' },
    });
    expect(await createReadiness({ needed: { postgres: up, workers: down } }).ask()).toEqual({
      state: 'not_ready',
      checks: { postgres: 'up', workers: 'down' },
    });
  });

  it('depends on first parts until all of them were up once', async () => {
    let at = 0;
    let workers = false;
    let postgres = true;
    const readiness = createReadiness(
      { needed: { postgres: async () => postgres }, first: { workers: async () => workers } },
      () => at,
    );
    const state = async () => {
      at += 1_000;
      return (await readiness.ask()).state;
    };
    expect(await state()).toBe('not_ready');
    workers = true;
    expect(await state()).toBe('ready');
    workers = false;
    expect(await state()).toBe('ready');
    postgres = false;
    expect(await state()).toBe('not_ready');
  });

  it('ends at once when the process stops, regardless of cached answers', async () => {
    const readiness = createReadiness({ needed: { postgres: up } });
    expect((await readiness.ask()).state).toBe('ready');
    readiness.end();
    expect(await readiness.ask()).toEqual({ state: 'ending', checks: { postgres: 'up' } });
  });

  it('treats a part without an answer in time as down, and asks once a second for any number of probes', async () => {
    let asked = 0;
    let at = 0;
    const hangs = async () => {
      asked += 1;
      await new Promise(() => undefined);
    };
    const readiness = createReadiness({ needed: { postgres: hangs } }, () => at);
    const answers = await Promise.all([readiness.ask(), readiness.ask(), readiness.ask()]);
    expect(answers.map((answer) => answer.checks)).toEqual(Array(3).fill({ postgres: 'down' }));
    expect(asked).toBe(1);
    at = 1_000;
    await readiness.ask();
    expect(asked).toBe(2);
  });
});
