import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../../src/startup/embedded/run-tool';
import type { Credential } from '../demo/api';

/** How long a run may take that is bounded by the number of its test cases. */
const LONGEST_SECONDS = 45 * 60;
/** `Prefer: wait=30` and what comes after it. */
const LONGEST_ANSWER_SECONDS = 45;
/** Until it has made its report when the time has passed. */
const GRACE_SECONDS = 120;

export interface Run {
  python: string;
  baseUrl: string;
  /** The file of the document. */
  document: string;
  credential: Credential;
  /** Where the report goes. */
  report: string;
  maxExamples: number;
  seconds?: number | undefined;
  seed: number;
  show(line: string): void;
}

/** Refusals that depend on what is there, which no document can tell. */
const OF_STATE = ['2xx', '401', '403', '404', '409', '412', '422', '429'];

/** The secret is in a file that nobody else may read, rather than on the command line, where everybody could. */
function configuration({ clientId, clientSecret }: Credential): string {
  return [
    `headers = { "x-client-id" = ${JSON.stringify(clientId)}, "x-client-secret" = ${JSON.stringify(clientSecret)} }`,
    '[checks.positive_data_acceptance]',
    `expected-statuses = ${JSON.stringify(OF_STATE)}`,
    '',
  ].join('\n');
}

/**
 * Attacks with one credential, in all phases and with all checks, until every operation has had its test cases or the time
 * has passed.
 * @throws Error when the time is long past or schemathesis cannot work; an answer that is found fault with is no error
 */
export async function attackWith(run: Run): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cardwright-attack-'));
  const config = join(folder, 'schemathesis.toml');
  try {
    await writeFile(config, configuration(run.credential), { mode: 0o600 });
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
    // Elsewhere than where the attacker stands: it leaves folders of its own behind.
    const options = { environment: process.env, cwd: folder, timeoutMs: seconds * 1000 };
    const progress = { line: `  ${run.credential.clientId} attacks`, show: run.show };
    await runTool(run.python, args, { ...options, progress }).catch((error: unknown) => {
      // It ends with 1 when a check has failed: the report says which.
      if (!(error as Error).message.startsWith(`${run.python} ended with 1:`)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
