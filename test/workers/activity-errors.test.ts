import { ApplicationFailure } from '@temporalio/common';
import { CommitUnknown, DatabaseAway } from '../../src/kernel/db/faults';
import { alreadyExists, conflict, notFound, Problem, unavailable } from '../../src/kernel/errors';
import { failureOf } from '../../workers/activity-errors';

const PERSON = 'jane.roe@example.com';

const rateLimited = new Problem(429, 'rate_limited', 'Slower, please.', undefined, 7);
const violation = Object.assign(new Error(`Key (email)=(${PERSON}) already exists.`), {
  name: 'error',
  code: '23505',
});
const broken = Object.assign(new Error(`connection to ${PERSON} lost`), { code: 'ECONNRESET' });

const cases: [string, unknown, { type: string; message: string; nonRetryable: boolean }][] = [
  ['a 400', alreadyExists(`${PERSON} is taken`, 'email'), failing('ErrAlreadyExists', true)],
  ['a 404', notFound(PERSON), failing('not_found', true)],
  ['a 409', conflict('invalid_transition', PERSON), failing('invalid_transition', true)],
  ['a 429', rateLimited, failing('rate_limited', false)],
  ['a 503', unavailable(PERSON), failing('unavailable', false)],
  ['the database away', new DatabaseAway(broken), failing('DatabaseAway', false)],
  ['an unknown outcome', new CommitUnknown(broken), failing('CommitUnknown', false)],
  ['a broken connection', broken, failing('DatabaseAway', false)],
  ['a violated constraint', violation, { type: 'error', message: '23505', nonRetryable: false }],
  ['an unexpected error', new TypeError(`cannot read ${PERSON}`), failing('TypeError', false)],
  ['a thrown value that is no error', PERSON, failing('Error', false)],
];

function failing(type: string, nonRetryable: boolean) {
  return { type, message: type, nonRetryable };
}

it.each(cases)('turns %s into a failure with a code and without its message', (_name, error, expected) => {
  const failure = failureOf(error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject(expected);
  const { type, message, details, cause } = failure;
  expect(JSON.stringify({ type, message, details, cause: String(cause) })).not.toContain(PERSON);
});

it('retries after the time that Retry-After names', () => {
  expect(failureOf(rateLimited).nextRetryDelay).toBe(7_000);
});
