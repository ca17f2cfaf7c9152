import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classify } from '../../scripts/attack/classify';
import { figures, summary } from '../../scripts/attack/figures';
import { readReport } from '../../scripts/attack/report';

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
    return await readReport(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const END = { EngineFinished: { stop_reason: 'completed' } };

it('counts requests and statuses by operation', async () => {
  const skipped = {
    ScenarioFinished: { phase: 'examples', status: 'skip', recorder: { label: 'GET /health' } },
  };
  const report = await read(
    scenario({}),
    scenario({ status: 409 }),
    scenario({ label: 'Stateful tests' }),
    skipped,
    END,
  );
  expect(report).toMatchObject({ requests: 3, failures: [], errors: [], finished: true });
  expect([...report.answers].map(([operation, statuses]) => [operation, [...statuses]])).toEqual([
    [
      'POST /v1/users',
      [
        [201, 2],
        [409, 1],
      ],
    ],
  ]);
});

it('reads a failure with its request and its answer', async () => {
  const answer = JSON.stringify({
    code: 'invalid_request',
    message: 'meta is odd.',
    field: 'meta',
    requestId: 'r',
  });
  const { failures } = await read(
    scenario({ status: 400, answer, failed: ['positive_data_acceptance'] }),
    END,
  );
  expect(failures).toEqual([
    {
      check: 'positive_data_acceptance',
      operation: 'POST /v1/users',
      phase: 'fuzzing',
      status: 400,
      code: 'invalid_request',
      field: 'meta',
      message: 'meta is odd.',
      says: 'Wrong: It is\nwrong',
      request: `POST ${PATH} {"meta":{}}`,
      answer,
    },
  ]);
});

it('reads a missing answer as a failure, and a success as a success', async () => {
  const silent = await read(scenario({ status: null }), END);
  expect(silent.failures).toMatchObject([{ check: 'no_answer', status: 0, operation: 'POST /v1/users' }]);
  const page = await read(scenario({ status: 502, answer: '<html>', failed: ['not_a_server_error'] }), END);
  expect(page.failures).toMatchObject([{ status: 502, code: '', field: '', message: '', answer: '<html>' }]);
});

it('distinguishes a broken attack from one without findings', async () => {
  expect(await read(scenario({}))).toMatchObject({ finished: false });
  const { errors } = await read({ NonFatalError: { value: { message: 'no document' } } }, END);
  expect(errors).toEqual([expect.stringContaining('no document')]);
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
  const report = await read(
    scenario({}),
    scenario({ status: 500, answer: '{"code":"internal"}', failed: ['not_a_server_error'] }),
    scenario({ status: 400, answer: JSON.stringify(refused), failed: ['positive_data_acceptance'] }),
    END,
  );
  const findings = classify(report.failures);
  const lines = figures('client', report, findings, ['POST /v1/users', 'GET /v1/users']);
  expect(lines[1]).toBe('As client: 3 requests to 1 of 2 operations, 1 of which succeeded at least once');
  expect(lines.slice(2, 4)).toEqual([
    '  POST /v1/users  201: 1  400: 1  500: 1',
    '  GET /v1/users   never called',
  ]);
  expect(lines.slice(4).join('\n')).toContain(
    'SERVER ERROR (not_a_server_error, 1 times): POST /v1/users answered 500',
  );
  expect(lines.join('\n')).not.toContain('REJECTED');
  expect(summary(findings)).toEqual([
    '',
    'server error              1 in 1 findings, 0 known deviations',
    'authentication            0 in 0 findings, 0 known deviations',
    'accepted bad input        0 in 0 findings, 0 known deviations',
    'answer not as documented  0 in 0 findings, 0 known deviations',
    'rejected good input       0 in 0 findings, 1 known deviations',
    'other                     0 in 0 findings, 0 known deviations',
  ]);
});
