import { createReadiness } from '../../src/kernel/readiness';
import { testApi } from '../support/api';

it('tells that the process serves, without credentials', async () => {
  const api = await testApi();
  const answer = await api.call('GET', '/health');
  expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
  expect((await api.call('HEAD', '/health')).status).toBe(200);
  await api.close();
});

it('is ready while Postgres and Temporal answer, and names the one that does not', async () => {
  let away = false;
  const api = await testApi({
    temporalIsServing: async () => !away,
  });
  const ready = await api.call('GET', '/health/ready');
  expect(ready.status).toBe(200);
  expect(ready.body).toEqual({ status: 'ok', checks: { postgres: 'up', temporal: 'up' } });
  away = true;
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const answer = await api.call('GET', '/health/ready');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(answer.body).toEqual({ status: 'unavailable', checks: { postgres: 'up', temporal: 'down' } });
  await api.close();
});

it('takes what does not answer in time for down, and asks once a second however many want to know', async () => {
  let asked = 0;
  let at = 0;
  const hangs = async () => {
    asked += 1;
    await new Promise(() => undefined);
  };
  const readiness = createReadiness({ postgres: hangs }, () => at);
  const answers = await Promise.all([readiness(), readiness(), readiness()]);
  expect(answers.map((answer) => answer.checks)).toEqual(Array(3).fill({ postgres: 'down' }));
  expect(asked).toBe(1);
  at = 1_000;
  await readiness();
  expect(asked).toBe(2);
});
