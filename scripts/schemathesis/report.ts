import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** An answer that a check rejects. */
export interface Failure {
  check: string;
  /** Name in the document, as `POST /v1/cards`. */
  operation: string;
  phase: string;
  /** HTTP status; 0 without an answer. */
  status: number;
  /** Error code of the answer; empty without one. */
  code: string;
  field: string;
  message: string;
  /** The check's message. */
  says: string;
  /** `POST http://… {"amount":"0"}` */
  request: string;
  answer: string;
}

export interface Report {
  requests: number;
  /** Number of answers by operation and status. */
  answers: Map<string, Map<number, number>>;
  failures: Failure[];
  /** Errors of the attacker. An attack with errors proves nothing. */
  errors: string[];
  /** Whether the attack ran to its end. */
  finished: boolean;
}

const bytes = z
  .object({ $base64: z.string() })
  .nullish()
  .transform((content) => Buffer.from(content?.$base64 ?? '', 'base64').toString('utf8'));

const interaction = z.object({
  request: z.object({ method: z.string(), uri: z.string(), body: bytes }),
  response: z.object({ status_code: z.number(), content: bytes }).nullish(),
});

const check = z.object({
  name: z.string(),
  status: z.string(),
  failure_info: z.object({ failure: z.object({ title: z.string(), message: z.string() }) }).nullish(),
});

const scenario = z.object({
  phase: z.string(),
  recorder: z.object({
    /** The operation, or another label where a scenario calls several operations. */
    label: z.string(),
    cases: z
      .record(z.string(), z.object({ value: z.object({ method: z.string(), path: z.string() }) }))
      .default({}),
    checks: z.record(z.string(), z.array(check)).default({}),
    interactions: z.record(z.string(), interaction).default({}),
  }),
});
type Scenario = z.infer<typeof scenario>;

const refusal = z.object({ code: z.string(), field: z.string().default(''), message: z.string() });

/** Events by which schemathesis reports its own failure. */
const BROKEN = ['NonFatalError', 'FatalError', 'Interrupted'];

/**
 * Reads the NDJSON report of a run: one event a line.
 * @throws ZodError when the report is of another version than the pinned one
 */
export async function readReport(file: string): Promise<Report> {
  const report: Report = { requests: 0, answers: new Map(), failures: [], errors: [], finished: false };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line !== '') addEvent(report, JSON.parse(line) as Record<string, unknown>);
  }
  return report;
}

/** @param event an object with one key, the event's name */
export function addEvent(report: Report, event: Record<string, unknown>): void {
  const [name = ''] = Object.keys(event);
  if (name === 'EngineFinished') report.finished = true;
  if (BROKEN.includes(name)) report.errors.push(`${name}: ${JSON.stringify(event[name]).slice(0, 1_000)}`);
  if (name === 'ScenarioFinished') addScenario(report, scenario.parse(event[name]));
}

function addScenario(report: Report, { phase, recorder }: Scenario): void {
  const { label, cases, checks, interactions } = recorder;
  const operationOf = (id: string) => {
    const value = cases[id]?.value;
    return value && !/^[A-Z]+ \//.test(label) ? `${value.method.toUpperCase()} ${value.path}` : label;
  };
  for (const [id, { request, response }] of Object.entries(interactions)) {
    report.requests += 1;
    const operation = operationOf(id);
    const statuses = report.answers.get(operation) ?? new Map<number, number>();
    report.answers.set(operation, statuses);
    const status = response?.status_code ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (response) continue;
    const asked = `${request.method} ${request.uri} ${request.body}`;
    report.failures.push(failureOf('no_answer', operation, phase, 'There was no answer.', asked, undefined));
  }
  for (const [id, made] of Object.entries(checks)) {
    for (const { name, status, failure_info: info } of made) {
      if (status !== 'failure') continue;
      const { request, response } = interactions[id] ?? {};
      const asked = request ? `${request.method} ${request.uri} ${request.body}` : '';
      const says = info ? `${info.failure.title}: ${info.failure.message}` : '';
      report.failures.push(failureOf(name, operationOf(id), phase, says, asked, response ?? undefined));
    }
  }
}

function failureOf(
  check: string,
  operation: string,
  phase: string,
  says: string,
  request: string,
  response: { status_code: number; content: string } | undefined,
): Failure {
  const answer = response?.content ?? '';
  const { code, field, message } = refusalIn(answer);
  const status = response?.status_code ?? 0;
  return { check, operation, phase, status, code, field, message, says, request, answer };
}

function refusalIn(answer: string): z.infer<typeof refusal> {
  try {
    return refusal.parse(JSON.parse(answer));
  } catch {
    return { code: '', field: '', message: '' };
  }
}
