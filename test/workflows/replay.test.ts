/** @long */
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { createDataConverter, createPayloadReader } from '../../src/kernel/temporal/codec';
import { installRuntime } from '../../workers/logger';
import { quiet, testBundle } from '../support/temporal';
import { historiesOf, RECORDINGS } from './recordings';
import {
  encryptedPayloads,
  eventsOf,
  type HistoryEvent,
  hasSignalInWait,
  isLaterRun,
  keptNames,
  readHistory,
  workflowIdIn,
} from './recordings/history-events';
import { historyKeyring } from './recordings/recording';
import { workflowSources } from './recordings/workflow-sources';

/**
 * A new version replays the runs that go on during its deployment. A workflow with another order of commands breaks
 * them. If a released history fails here, change the workflow behind `patched()`. A released history is never recorded
 * again.
 */

const kept = keptNames();
const hasHistory = (workflow: string, holds: (events: HistoryEvent[]) => boolean) =>
  kept.some((name) => name.startsWith(`${workflow}.`) && holds(eventsOf(readHistory(name))));

const DOCTORED = 'doctored';
/** A changed history, of a workflow that asks for the card before it orders the card. */
const doctored = () =>
  readHistory('cardIssuance.issued').replace(
    '"activityType":{"name":"orderCard"}',
    '"activityType":{"name":"askForCard"}',
  );

const replayed = new Map<string, Error | undefined>();
/** One worker replays all histories, because each worker evaluates the whole bundle. */
beforeAll(async () => {
  installRuntime(quiet);
  const worker = {
    workflowBundle: await testBundle(),
    dataConverter: createDataConverter(historyKeyring(), { encrypt: false }),
  };
  const histories = [
    ...kept.map((name) => [name, readHistory(name)] as const),
    [DOCTORED, doctored()] as const,
  ];
  const given = histories.map(([name, text]) => ({
    workflowId: workflowIdIn(text) ?? name,
    history: historyFromJSON(JSON.parse(text)),
  }));
  const names = histories.map(([name]) => name).values();
  for await (const { error } of Worker.runReplayHistories(worker, given))
    replayed.set(names.next().value ?? '', error);
});

it.each(kept)('replays %s', (name) => {
  expect(replayed.has(name)).toBe(true);
  const error = replayed.get(name);
  if (error) throw error;
});

it('refuses a history whose activities come in another order', () => {
  expect(doctored()).not.toBe(readHistory('cardIssuance.issued'));
  expect(replayed.get(DOCTORED)).toBeInstanceOf(DeterminismViolationError);
});

describe('the kept histories', () => {
  const workflows = workflowSources();
  const workflowsWith = (call: RegExp) =>
    [...workflows].filter(([, source]) => call.test(source)).map(([workflow]) => workflow);

  it('cover every workflow and every recording: node scripts/run.mjs scripts/record-histories.ts', () => {
    expect(workflows.size).toBeGreaterThan(5);
    expect([...new Set(kept.map((name) => name.split('.')[0]))].sort()).toEqual([...workflows.keys()].sort());
    expect(kept).toEqual(expect.arrayContaining(RECORDINGS.flatMap(historiesOf)));
  });

  it('hold a signal in a wait for each workflow that handles signals', () => {
    const handling = workflowsWith(/setHandler\(/);
    expect(handling.length).toBeGreaterThan(5);
    expect(handling.filter((workflow) => !hasHistory(workflow, hasSignalInWait))).toEqual([]);
  });

  it('hold a second run of each workflow that continues as new', () => {
    const continuing = workflowsWith(/continueAsNew[(<]/);
    expect(continuing.length).toBeGreaterThan(5);
    expect(continuing.filter((workflow) => !hasHistory(workflow, isLaterRun))).toEqual([]);
  });

  it('hold encrypted payloads that the product’s codec reads', async () => {
    const payloads = kept.flatMap((name) => encryptedPayloads(readHistory(name)));
    expect(payloads.length).toBeGreaterThan(5);
    const opened = createPayloadReader(historyKeyring())(payloads);
    const texts = opened.map(({ data = '' }) => Buffer.from(data, 'base64').toString());
    expect(texts.join('\n')).toContain('pay_01h455vb4pex5vsknk084sn02q');
    expect(texts.filter(namesMachine)).toEqual([]);
  });

  it('name no machine and no path of it', () => {
    expect(kept.filter((name) => namesMachine(readHistory(name)))).toEqual([]);
  });
});

/** An identity of a worker begins with `<process id>@<host>`. */
const namesMachine = (text: string) =>
  /"identity":"(?!recorder")|"name":"\d+@|\/node_modules\/|\/src\/|\/workflows\//.test(text);
