import { Writable } from 'node:stream';
import { CommitUnknown, DatabaseAway, isOutOfReach } from '../../src/kernel/db/faults';
import { forEachIsolated } from '../../src/kernel/for-each-isolated';
import { createLogger } from '../../src/kernel/logging';

function logged() {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
      done();
    },
  });
  return { lines, log: createLogger({ level: 'info', destination }) };
}

const withCode = (code: string) => Object.assign(new Error(code), { code });

it('continues after a failure, and returns and logs the failed items', async () => {
  const { lines, log } = logged();
  const done: number[] = [];
  const failures = await forEachIsolated(
    [1, 2, 3, 4],
    async (item) => {
      if (item % 2 === 1) throw new Error(`${item} is odd`);
      done.push(item);
    },
    { log, failed: 'could not be done', ids: (item) => ({ itemId: `it_${item}` }) },
  );
  expect([done, failures]).toEqual([
    [2, 4],
    [1, 3],
  ]);
  expect(lines.map(({ level, itemId, msg }) => [level, itemId, msg])).toEqual([
    ['error', 'it_1', 'could not be done'],
    ['error', 'it_3', 'could not be done'],
  ]);
});

it('stops when the database cannot be reached', async () => {
  const { lines, log } = logged();
  const tried: number[] = [];
  const work = async (item: number) => {
    tried.push(item);
    throw new DatabaseAway(withCode('ECONNREFUSED'));
  };
  const given = { log, failed: 'could not be done', ids: () => ({}) };
  await expect(forEachIsolated([1, 2], work, given)).rejects.toBeInstanceOf(DatabaseAway);
  expect([tried, lines]).toEqual([[1], []]);
});

it.each<[string, unknown, boolean]>([
  ['no connection', new DatabaseAway(withCode('ECONNREFUSED')), true],
  ['a connection that broke', new DatabaseAway(new Error('Connection terminated unexpectedly')), true],
  ['a server that stops', new DatabaseAway(withCode('57P01')), true],
  ['a commit without an answer', new CommitUnknown(withCode('ECONNRESET')), true],
  ['a lock that is held', new DatabaseAway(withCode('55P03')), false],
  ['a statement that took too long', new DatabaseAway(withCode('57014')), false],
  ['conflicts without end', new DatabaseAway(withCode('40001')), false],
  ['a constraint', withCode('23514'), false],
  ['a fault of ours', new TypeError('undefined is not a function'), false],
])('%s: concerns all items: %p → %p', (_name, error, expected) => {
  expect(isOutOfReach(error)).toBe(expected);
});
