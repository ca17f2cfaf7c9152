import { apiRoutes } from '../../src/composition';
import { openApiDocument } from '../../src/http/openapi';
import { type TestApi, testApi } from '../support/api';
import { documentedAnswers, type Seen } from '../support/documented';

/** The comparison of all test answers with the document detects deviations. */

let api: TestApi;
let compare: (seen: Seen) => void;
let user: Record<string, unknown>;
beforeAll(async () => {
  api = await testApi();
  compare = documentedAnswers(openApiDocument(apiRoutes(api.services)));
  user = (await (await api.client()).call('POST', '/v1/users', {})).body;
});
afterAll(() => api.close());

const seen = (body: unknown, given: Partial<Seen> = {}): Seen => ({
  method: 'GET',
  path: `/v1/users/${String(user['id'])}?x=1`,
  status: 200,
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
  ...given,
});
const error = (code: string) => ({ code, message: 'No.', requestId: 'r' });

it('passes an answer that matches the document, and paths that it lacks', () => {
  compare(seen(user));
  compare(seen(error('not_found'), { status: 404 }));
  compare(seen({ any: 'thing' }, { path: '/v1/nothing' }));
});

it.each<[string, () => Seen, RegExp]>([
  ['a status', () => seen(user, { status: 418 }), /418 is not in the OpenAPI document/],
  ['a field', () => seen({ ...user, shoe: 41 }), /differs from the OpenAPI document/],
  ['a missing field', () => seen({ ...user, status: undefined }), /must have required property 'status'/],
  ['a word of a field', () => seen({ ...user, status: 'sad' }), /must be equal to one of/],
  ['a code', () => seen(error('card_closed'), { status: 404 }), /code card_closed/],
  ['a type', () => seen(user, { contentType: 'text/html' }), /never text\/html/],
])('refuses %s that the document does not contain', (_, given, message) => {
  expect(() => compare(given())).toThrow(message);
});
