import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../../src/startup/embedded/run-tool';

/** Time limit of a run that has a number of test cases and no duration. */
const LONGEST_SECONDS = 45 * 60;
/** Longer than `Prefer: wait=30` may take. */
const LONGEST_ANSWER_SECONDS = 45;
/** Time for writing the report after the duration has passed. */
const GRACE_SECONDS = 120;

export interface Run {
  python: string;
  baseUrl: string;
  /** File of the OpenAPI document, which may differ from the served one. */
  document: string;
  /** Headers of each request: the credential of a tenant, or the session of an operator. */
  headers: Record<string, string>;
  /** File of the report. */
  report: string;
  maxExamples: number;
  seconds?: number | undefined;
  seed: number;
  show(line: string): void;
}

/** Statuses that depend on stored records, so that a document cannot predict them. */
const OF_STATE = ['2xx', '401', '403', '404', '409', '412', '422', '429'];

/** Writes the secret to a private file, because every user can read a command line. */
function configuration(headers: Run['headers']): string {
  const pairs = Object.entries(headers).map((pair) => pair.map((text) => JSON.stringify(text)).join(' = '));
  return [
    `headers = { ${pairs.join(', ')} }`,
    '[checks.positive_data_acceptance]',
    `expected-statuses = ${JSON.stringify(OF_STATE)}`,
    '',
  ].join('\n');
}

/**
 * Checks the API against its OpenAPI document by schemathesis, with one credential, in all phases and with all checks.
 * Ends when every operation has had its test cases or the time has passed.
 * @throws Error when the run exceeds its time or schemathesis cannot work; a failed check is no error
 */
export async function checkApi(run: Run): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-schemathesis-'));
  const config = join(folder, 'schemathesis.toml');
  try {
    await writeFile(config, configuration(run.headers), { mode: 0o600 });
    const bound = run.seconds === undefined ? [] : ['--max-time', String(run.seconds)];
    const seconds = run.seconds === undefined ? LONGEST_SECONDS : run.seconds + GRACE_SECONDS;
    const args = [
      ...['-m', 'schemathesis.cli', '--config-file', config, '--no-color', 'run', run.document],
      ...['--url', run.baseUrl, '--seed', String(run.seed), '--max-examples', String(run.maxExamples)],
      ...bound,
      ...['--phases', 'examples,coverage,fuzzing,stateful', '--mode', 'all', '--checks', 'all'],
      ...['--continue-on-failure', '--no-shrink', '--generation-database', 'none', '--warnings', 'off'],
      ...['--request-timeout', '60', '--max-response-time', String(LONGEST_ANSWER_SECONDS)],
      ...['--report', 'ndjson', '--report-ndjson-path', run.report],
    ];
    // A folder of its own, because the tool leaves folders behind.
    const options = { environment: process.env, cwd: folder, timeoutMs: seconds * 1000 };
    const progress = { line: '  schemathesis calls the product', show: run.show };
    await runTool(run.python, args, { ...options, progress }).catch((error: unknown) => {
      // Exit code 1 means that a check has failed. The report has the details.
      if (!(error as Error).message.startsWith(`${run.python} ended with 1:`)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
