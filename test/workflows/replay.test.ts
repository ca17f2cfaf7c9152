import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { installRuntime } from '../../workers/logger';
import { quiet, testBundle } from '../support/temporal';
import { nameOf, RECORDINGS } from './recordings';

/**
 * Processes that run while a new version is deployed are replayed by it: a workflow that would not do again what it has
 * done breaks them. Where one fails here, change the workflow behind `patched()`; a history is never recorded anew.
 */

const FOLDER = join(__dirname, '../histories');
const kept = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
const textOf = (name: string) => readFileSync(join(FOLDER, `${name}.json`), 'utf8');

const histories = (names: string[], change = (text: string) => text) =>
  names.map((name) => ({ workflowId: name, history: historyFromJSON(JSON.parse(change(textOf(name)))) }));

/** All histories share a worker, because each worker evaluates the whole bundle anew. */
const replayed = new Map<string, Error | undefined>();
beforeAll(async () => {
  installRuntime(quiet);
  const workflowBundle = await testBundle();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories(kept)))
    replayed.set(workflowId, error);
});

it.each(kept)('%s', (name) => {
  expect(replayed.has(name)).toBe(true);
  const error = replayed.get(name);
  if (error) throw error;
});

it('fails for a workflow that would do something else', async () => {
  const workflowBundle = await testBundle();
  const changed = histories(['cardIssuance.issued'], (text) =>
    text.replaceAll('"orderCard"', '"orderAnotherCard"'),
  );
  const errors: unknown[] = [];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, changed)) errors.push(error);
  expect(errors).toEqual([expect.any(DeterminismViolationError)]);
});

it('has a history of every workflow: npx tsx scripts/record-histories.ts', () => {
  const index = readFileSync(join(__dirname, '../../workflows/index.ts'), 'utf8');
  const workflows = [...index.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name);
  expect(workflows.length).toBeGreaterThan(5);
  expect([...new Set(kept.map((name) => name.split('.')[0]))].sort()).toEqual(workflows.sort());
  expect(kept).toEqual(expect.arrayContaining(RECORDINGS.map(nameOf)));
});

it('names neither a machine nor a path of it', () => {
  for (const name of kept)
    expect(textOf(name)).not.toMatch(/"identity":"(?!recorder")|\/node_modules\/|\/src\//);
});
