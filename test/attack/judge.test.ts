import type { Exception } from '../../scripts/attack/exceptions';
import { judge } from '../../scripts/attack/judge';
import { emptyTally, findingsOf, seen } from '../../scripts/attack/tally';
import type { Exchange } from '../../scripts/schemathesis/report';

const CURSOR = {
  code: 'invalid_request',
  message: 'cursor is not a valid cursor of this list.',
  field: 'cursor',
};

function exchange(
  check: string,
  refusal: Partial<typeof CURSOR> = {},
  more: Partial<Exchange> = {},
): Exchange {
  return {
    operation: 'GET /v1/cards',
    phase: 'fuzzing',
    request: 'GET http://127.0.0.1/v1/cards?cursor=x',
    status: 400,
    answer: JSON.stringify({ ...CURSOR, ...refusal }),
    failed: [{ check, says: 'Schema-valid request rejected' }],
    ...more,
  };
}

const ACCEPTANCE = 'positive_data_acceptance';

it('puts every check into a class, even an unknown one', () => {
  const checks = ['not_a_server_error', 'no_answer', 'ignored_auth', 'negative_data_rejection'];
  const classOf = (check: string) => judge(exchange(check))[0]?.class;
  expect([...checks, 'response_schema_conformance', ACCEPTANCE, 'of_tomorrow'].map(classOf)).toEqual([
    ...['server error', 'server error', 'authentication', 'accepted bad input'],
    ...['answer not as documented', 'rejected good input', 'other'],
  ]);
});

it('counts failures of one kind at one operation as one finding, the most serious first', () => {
  const tally = emptyTally();
  const amount = exchange(ACCEPTANCE, { field: 'amount', message: 'amount must be greater than zero.' });
  for (const each of [amount, amount, exchange('not_a_server_error', {}, { status: 500 })]) seen(tally, each);
  expect(
    findingsOf(tally).map(({ class: of, count, status, reason }) => [of, count, status, reason]),
  ).toEqual([
    ['server error', 1, 500, undefined],
    ['rejected good input', 2, 400, undefined],
  ]);
});

it('explains known exceptions and nothing else', () => {
  const reasonOf = (each: Exchange) => judge(each)[0]?.reason;
  expect(reasonOf(exchange(ACCEPTANCE))).toBe('A cursor is opaque.');
  for (const other of [
    exchange(ACCEPTANCE, {}, { status: 500 }),
    exchange(ACCEPTANCE, { code: 'internal' }),
    exchange(ACCEPTANCE, { field: 'limit' }),
    exchange(ACCEPTANCE, { message: 'cursor is too long.' }),
    exchange(ACCEPTANCE, {}, { answer: '<html>' }),
    exchange('negative_data_rejection'),
  ])
    expect([other, reasonOf(other)]).toEqual([other, undefined]);
});

it.each([
  ['GET /v1/accounts/{id}/statement', 'to', 'to must be after from.'],
  ['GET /v1/accounts/{id}/statement', 'to', 'to must be at most 366 days after from.'],
  [
    'POST /v1/gas-station/station-topups/scan',
    'address',
    'address must be a present or former station of the chain.',
  ],
  ['POST /v1/cardholders/{id}/photos', 'file', 'file is not a field of this request.'],
])('explains a rule that no schema expresses: %s', (operation, field, message) => {
  const of = (where: string) =>
    judge(exchange(ACCEPTANCE, { field, message }, { operation: where }))[0]?.reason;
  expect(of(operation)).toBeDefined();
  if (field === 'file') expect(of('POST /v1/cards')).toBeUndefined();
});

it('separates explained and unexplained findings of one check', () => {
  const known: Exception[] = [
    { check: 'status_code_conformance', operations: /^GET /, status: 418, reason: 'It is a teapot.' },
  ];
  const reasons = ['GET /v1/pots', 'POST /v1/pots'].map(
    (operation) =>
      judge(exchange('status_code_conformance', {}, { operation, status: 418 }), known)[0]?.reason,
  );
  expect(reasons).toEqual(['It is a teapot.', undefined]);
});

it('never explains an error of the server or a hole in the authentication', () => {
  for (const check of ['not_a_server_error', 'no_answer', 'ignored_auth', 'object_level_authorization'])
    expect([check, judge(exchange(check))[0]?.reason]).toEqual([check, undefined]);
});
