/** @long */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { version } from '../../client/package.json';
import { OPERATIONS } from '../../client/src/generated/operations';
import { version as productVersion } from '../../package.json';
import { clientFiles } from '../../scripts/document-client';
import { type TestApi, testApi } from '../support/api';

let api: TestApi;
let files: [file: string, content: string][];
beforeAll(async () => {
  api = await testApi();
  files = clientFiles((await api.call('GET', '/openapi.json')).body);
});
afterAll(() => api.close());

it('has the types, operations and effects of the served document: npm run document writes them', () => {
  expect(files.map(([file]) => basename(file))).toEqual(['api.ts', 'operations.ts', 'effects.ts']);
  for (const [file, content] of files)
    expect(content === readFileSync(file, 'utf8') ? [] : [file]).toEqual([]);
});

it('has every operation of the document', async () => {
  const { paths } = (await api.call('GET', '/openapi.json')).body;
  const served = Object.values<object>(paths).flatMap((methods) =>
    Object.values<{ operationId: string }>(methods as never).map(({ operationId }) => operationId),
  );
  expect(Object.keys(OPERATIONS).sort()).toEqual(served.sort());
});

it('has the version of the product, and no dependency', () => {
  const kit = JSON.parse(readFileSync(join(__dirname, '../../client/package.json'), 'utf8')) as object;
  expect(version).toBe(productVersion);
  expect(Object.keys(kit).filter((key) => /dependencies/i.test(key))).toEqual([]);
});
