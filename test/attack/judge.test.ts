import { classify, classOf } from '../../scripts/attack/classify';
import type { Deviation } from '../../scripts/attack/deviations';
import type { Failure } from '../../scripts/attack/report';

const failure = (given: Partial<Failure> = {}): Failure => ({
  check: 'positive_data_acceptance',
  operation: 'GET /v1/cards',
  phase: 'fuzzing',
  status: 400,
  code: 'invalid_request',
  field: 'cursor',
  message: 'cursor is not a valid cursor of this list.',
  says: 'Schema-valid request rejected',
  request: 'GET http://127.0.0.1/v1/cards?cursor=x',
  answer: '{}',
  ...given,
});

it('puts every check into a class, even an unknown one', () => {
  const checks = ['not_a_server_error', 'no_answer', 'ignored_auth', 'negative_data_rejection'];
  expect(
    [...checks, 'response_schema_conformance', 'positive_data_acceptance', 'of_tomorrow'].map(classOf),
  ).toEqual([
    ...['server error', 'server error', 'authentication', 'accepted bad input'],
    ...['answer not as documented', 'rejected good input', 'other'],
  ]);
});

it('counts failures of one kind at one operation as one finding, the most serious first', () => {
  const findings = classify([
    failure({ field: 'amount', message: 'amount must be greater than zero.' }),
    failure({ field: 'amount', message: 'amount must be greater than zero.' }),
    failure({ check: 'not_a_server_error', status: 500, code: 'internal', field: '', message: 'x' }),
  ]);
  expect(findings.map(({ class: of, count, status, reason }) => [of, count, status, reason])).toEqual([
    ['server error', 1, 500, undefined],
    ['rejected good input', 2, 400, undefined],
  ]);
});

it('explains known deviations and nothing else', () => {
  const reason = 'A cursor is opaque.';
  const reasonOf = (given: Partial<Failure>) => classify([failure(given)])[0]?.reason;
  expect(reasonOf({})).toBe(reason);
  for (const other of [
    { status: 500 },
    { code: 'internal' },
    { field: 'limit' },
    { message: 'cursor is too long.' },
    { check: 'negative_data_rejection' },
  ])
    expect([other, reasonOf(other)]).toEqual([other, undefined]);
});

it('separates explained and unexplained findings of one operation', () => {
  const known: Deviation[] = [
    { check: 'status_code_conformance', operations: /^GET /, status: 418, reason: 'It is a teapot.' },
  ];
  const failures = ['GET /v1/pots', 'POST /v1/pots'].map((operation) =>
    failure({ check: 'status_code_conformance', operation, status: 418 }),
  );
  expect(classify(failures, known).map(({ operation, reason }) => [operation, reason])).toEqual([
    ['POST /v1/pots', undefined],
    ['GET /v1/pots', 'It is a teapot.'],
  ]);
});

it('never explains an error of the server or a hole in the authentication', () => {
  for (const check of ['not_a_server_error', 'no_answer', 'ignored_auth', 'object_level_authorization'])
    expect([check, classify([failure({ check })])[0]?.reason]).toEqual([check, undefined]);
});
