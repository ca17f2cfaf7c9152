import { isAway, isBroken, isConflict } from '../../../src/kernel/db/faults';

/** Errors of Postgres by their code (https://www.postgresql.org/docs/current/errcodes-appendix.html). */

const failed = (code: string) => Object.assign(new Error('refused'), { code });

const AWAY: [code: string, what: string, broken: boolean][] = [
  ['57P01', 'a shutdown by an administrator', true],
  ['57P02', 'a crash', true],
  ['57P03', 'a server that starts', true],
  ['25P03', 'an idle transaction', true],
  ['08006', 'a broken connection', true],
  ['ECONNRESET', 'a connection that the network has cut', true],
  ['53100', 'a full disk', false],
  ['53200', 'no memory', false],
  ['53300', 'too many connections', false],
  ['58030', 'a disk that fails', false],
  ['25006', 'a standby', false],
  ['55P03', 'a lock that another one holds', false],
  ['57014', 'a statement that took too long', false],
];

it.each(AWAY)('takes %s, %s, for a database that is away; the connection is lost: %p', (code, _, broken) => {
  expect([isAway(failed(code)), isBroken(failed(code))]).toEqual([true, broken]);
});

it.each(['23505', '22P02', '42601', '25P02', '40001', 'XX000', ''])(
  'takes %p for a fault of the statement',
  (code) => {
    expect([isAway(failed(code)), isConflict(failed(code))]).toEqual([false, code === '40001']);
  },
);
