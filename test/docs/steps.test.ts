import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestApi, testApi } from '../support/api';
import { INTEGRATE, stepsOf } from './steps';
import { programOf } from './typed';

/**
 * A newcomer finds each of the twelve steps by its words, in the README or in the document that `/docs` reads.
 * `test/e2e/guides.test.ts` runs the steps, and `test/http/reader.test.ts` types the words into the search of `/docs`.
 */

let api: TestApi;
let document: any;
beforeAll(async () => {
  api = await testApi();
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

const STEPS = stepsOf();
const at = (named: string) => {
  const [method = '', path = ''] = named.split(' ');
  return document.paths[path]?.[method.toLowerCase()];
};

/** Whether the text has each of the words, in any order. */
const has = (text: string, words: string) =>
  words.split(' ').every((word) => text.toLowerCase().includes(word));

it('has twelve steps, each with words and a place', () => {
  expect(STEPS.map(({ title }) => Number.parseInt(title, 10))).toEqual(
    [...Array(12).keys()].map((n) => n + 1),
  );
  for (const { readme, chapter, operations } of STEPS)
    expect([readme, chapter, ...operations].filter(Boolean)).not.toEqual([]);
});

it.each(STEPS.filter(({ readme }) => readme))(
  '$title: the first "$words" in the README stands in its chapter $readme',
  ({ words, readme }) => {
    const text = readFileSync(join(__dirname, '../../README.md'), 'utf8');
    const before = text.slice(0, text.toLowerCase().indexOf(words) + words.length);
    expect([...before.matchAll(/^## (.*)$/gm)].at(-1)?.[1]).toBe(readme);
  },
);

it.each(STEPS.filter(({ chapter }) => chapter))(
  '$title: a chapter of the guides has "$words"',
  ({ words, chapter }) => {
    const headings = [...(document.info.description as string).matchAll(/^#{2,3} (?:\d+\. )?(.*)$/gm)];
    const found = headings.map(([, heading = '']) => heading).filter((heading) => has(heading, words));
    expect(found).toEqual([chapter]);
  },
);

it.each(STEPS.filter(({ operations }) => operations.length > 0))(
  '$title: the summaries of its operations have "$words"',
  ({ words, operations }) => {
    const summaries = operations.map((named) => at(named)?.summary as string);
    expect(summaries.filter((summary) => has(summary, words))).toEqual(summaries);
  },
);

it('calls the operations of the steps in their order', () => {
  const program = programOf(INTEGRATE);
  const calls = [...new Set([...program.matchAll(/client\.(\w+)\(/g)].map(([, name]) => name))];
  const steps = STEPS.flatMap(({ operations }) => operations.map((named) => at(named)?.operationId));
  expect(calls.filter((name) => steps.includes(name))).toEqual(steps);
});
