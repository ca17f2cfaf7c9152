import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyTally, figures, findingsOf, seen, summary } from '../../scripts/attack/tally';
import { type Exchange, readReport } from '../../scripts/schemathesis/report';

const base64 = (text: string) => ({ $base64: Buffer.from(text).toString('base64') });
const PATH = 'http://127.0.0.1:8080/v1/users';

interface Said {
  label?: string;
  status?: number | null;
  answer?: string;
  failed?: string[];
}

/** Makes an event like those of schemathesis, with the fields that are read and some others. */
function scenario(said: Said) {
  const { label = 'POST /v1/users', status = 201, answer = '{}', failed = [] } = said;
  const checks = ['status_code_conformance', ...failed].map((name) => ({
    name,
    status: failed.includes(name) ? 'failure' : 'success',
    ...(failed.includes(name)
      ? { failure_info: { failure: { type: 'T', title: 'Wrong', message: 'It is\nwrong' } } }
      : {}),
  }));
  return {
    ScenarioFinished: {
      id: 'x',
      phase: 'fuzzing',
      status: failed.length > 0 ? 'failure' : 'success',
      recorder: {
        label,
        cases: { a: { value: { method: 'post', path: '/v1/users', body: {} } } },
        checks: { a: checks },
        interactions: {
          a: {
            request: { method: 'POST', uri: PATH, headers: {}, body: base64('{"meta":{}}') },
            response: status === null ? null : { status_code: status, headers: {}, content: base64(answer) },
          },
        },
      },
    },
  };
}

async function read(...events: object[]) {
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-report-'));
  try {
    const file = join(folder, 'report.ndjson');
    await writeFile(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const [exchanges, tally]: [Exchange[], ReturnType<typeof emptyTally>] = [[], emptyTally()];
    const ending = await readReport(file, (exchange) => {
      exchanges.push(exchange);
      seen(tally, exchange);
    });
    return { exchanges, tally, ending };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const END = { EngineFinished: { stop_reason: 'completed' } };

it('counts requests and statuses by operation', async () => {
  const skipped = {
    ScenarioFinished: { phase: 'examples', status: 'skip', recorder: { label: 'GET /health' } },
  };
  const { tally, ending } = await read(
    scenario({}),
    scenario({ status: 409 }),
    scenario({ label: 'Stateful tests' }),
    skipped,
    END,
  );
  expect(ending).toEqual({ errors: [], finished: true });
  expect([tally.requests, findingsOf(tally)]).toEqual([3, []]);
  const statuses = new Map([
    [201, 2],
    [409, 1],
  ]);
  expect(tally.answers).toEqual(new Map([['POST /v1/users', statuses]]));
});

it('reads a failed check with its request and its answer', async () => {
  const answer = '{"code":"invalid_request","message":"meta is odd.","field":"meta","requestId":"r"}';
  const { exchanges, tally } = await read(
    scenario({ status: 400, answer, failed: ['positive_data_acceptance'] }),
    END,
  );
  const exchange = {
    operation: 'POST /v1/users',
    phase: 'fuzzing',
    request: `POST ${PATH} {"meta":{}}`,
    status: 400,
    answer,
  };
  const failed = [{ check: 'positive_data_acceptance', says: 'Wrong: It is\nwrong' }];
  expect(exchanges).toEqual([{ ...exchange, failed }]);
  const said = { code: 'invalid_request', message: 'meta is odd.', field: 'meta' };
  expect(findingsOf(tally)).toEqual([
    { ...exchange, ...failed[0], ...said, class: 'rejected good input', count: 1 },
  ]);
});

it('reads a missing answer as a failure, and an answer without a refusal', async () => {
  const silent = await read(scenario({ status: null }), END);
  expect(findingsOf(silent.tally)).toMatchObject([{ check: 'no_answer', status: 0, answer: '' }]);
  const page = await read(scenario({ status: 502, answer: '<html>', failed: ['not_a_server_error'] }), END);
  expect(findingsOf(page.tally)).toMatchObject([
    { status: 502, code: '', field: '', message: '', answer: '<html>' },
  ]);
});

it('distinguishes a broken attack from one without findings', async () => {
  expect((await read(scenario({}))).ending).toEqual({ errors: [], finished: false });
  const { ending } = await read({ NonFatalError: { value: { message: 'no document' } } }, END);
  expect(ending.errors).toEqual([expect.stringContaining('no document')]);
});

it('refuses a report of another shape', async () => {
  await expect(read({ ScenarioFinished: { phase: 'fuzzing', records: [] } })).rejects.toThrow('recorder');
});

it('prints coverage, unexplained findings, and a line for each class', async () => {
  const refused = {
    code: 'invalid_request',
    message: 'cursor is not a valid cursor of this list.',
    field: 'cursor',
  };
  const { tally, ending } = await read(
    scenario({}),
    scenario({ status: 500, answer: '{"code":"internal"}', failed: ['not_a_server_error'] }),
    scenario({ status: 400, answer: JSON.stringify(refused), failed: ['positive_data_acceptance'] }),
    END,
  );
  const lines = figures('client', tally, ending, ['POST /v1/users', 'GET /v1/users']);
  expect(lines[1]).toBe('As client: 3 requests to 1 of 2 operations, 1 of which succeeded at least once');
  expect(lines.slice(2, 4)).toEqual([
    '  POST /v1/users  201: 1  400: 1  500: 1',
    '  GET /v1/users   never called',
  ]);
  expect(lines.slice(4).join('\n')).toContain(
    'SERVER ERROR (not_a_server_error, 1 times): POST /v1/users answered 500',
  );
  expect(lines.join('\n')).not.toContain('REJECTED');
  expect(summary(findingsOf(tally))).toEqual([
    '',
    'server error              1 in 1 findings, 0 known exceptions',
    'authentication            0 in 0 findings, 0 known exceptions',
    'accepted bad input        0 in 0 findings, 0 known exceptions',
    'answer not as documented  0 in 0 findings, 0 known exceptions',
    'rejected good input       0 in 0 findings, 1 known exceptions',
    'other                     0 in 0 findings, 0 known exceptions',
  ]);
});
