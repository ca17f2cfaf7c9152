import { type Client, type TestApi, testApi } from '../support/api';

let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterAll(() => api.close());

const rotate = (headers: Record<string, string>, body: unknown = {}) =>
  api.call('POST', '/v1/client/secret/rotate', body, headers);
const as = (clientSecret: string) => ({ 'x-client-id': client.clientId, 'x-client-secret': clientSecret });

it('answers the same 401 whichever header is wrong or missing', async () => {
  const answers = await Promise.all([
    rotate({}),
    rotate({ 'x-client-id': client.clientId }),
    rotate(as('wrong')),
    rotate({ 'x-client-id': 'nonsense', 'x-client-secret': client.clientSecret }),
    rotate({ 'x-client-id': (await api.client()).clientId, 'x-client-secret': client.clientSecret }),
  ]);
  const bodies = answers.map(({ body }) => ({ ...body, requestId: '' }));
  expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401]);
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
  expect(bodies[0]).toMatchObject({ code: 'unauthorized' });
});

it('rotates with an overlap, and without one', async () => {
  const first = await rotate(as(client.clientSecret));
  expect(first.status).toBe(201);
  expect(first.body.clientSecret).not.toBe(client.clientSecret);
  expect((await rotate(as(client.clientSecret), { overlapSeconds: 60 })).status).toBe(201);
  const third = await rotate(as(first.body.clientSecret), { overlapSeconds: 0 });
  expect(third.status).toBe(201);
  expect((await rotate(as(third.body.clientSecret), { overlapSeconds: -1 })).body).toMatchObject({
    code: 'invalid_request',
    field: 'overlapSeconds',
  });
});
