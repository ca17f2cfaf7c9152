import { isAway, isBroken, isConflict } from '../../../src/kernel/db/faults';

/** Errors of Postgres by their code (https://www.postgresql.org/docs/current/errcodes-appendix.html). */

const failed = (code: string) => Object.assign(new Error('refused'), { code });

it.each([
  ['57P01', 'a shutdown by an administrator'],
  ['57P02', 'a crash'],
  ['57P03', 'a server that starts'],
  ['25P03', 'an idle transaction'],
  ['08006', 'a broken connection'],
  ['ECONNRESET', 'a connection that the network has cut'],
])('takes %s, %s, for a database that is away and a lost connection', (code) => {
  expect([isAway(failed(code)), isBroken(failed(code))]).toEqual([true, true]);
});

it.each([
  ['53100', 'a full disk'],
  ['53200', 'no memory'],
  ['53300', 'too many connections'],
  ['58030', 'a disk that fails'],
  ['25006', 'a standby'],
  ['55P03', 'a lock that another one holds'],
  ['57014', 'a statement that took too long'],
])('takes %s, %s, for a database that is away on a connection that works', (code) => {
  expect([isAway(failed(code)), isBroken(failed(code))]).toEqual([true, false]);
});

it.each(['23505', '22P02', '42601', '25P02', '40001', 'XX000', ''])(
  'takes %p for a fault of the statement',
  (code) => {
    expect([isAway(failed(code)), isConflict(failed(code))]).toEqual([false, code === '40001']);
  },
);
