import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** A request of schemathesis, its answer, and the checks that the answer fails. */
export interface Exchange {
  /** Name in the document, as `POST /v1/cards`. */
  operation: string;
  phase: string;
  /** `POST http://… {"amount":"0"}` */
  request: string;
  /** HTTP status; 0 without an answer. */
  status: number;
  answer: string;
  failed: { check: string; says: string }[];
}

/** How a run ended. A run with errors, or without an end, proves nothing. */
export interface Ending {
  /** Errors of schemathesis itself. */
  errors: string[];
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

/** Events by which schemathesis reports its own failure. */
const BROKEN = ['NonFatalError', 'FatalError', 'Interrupted'];

/**
 * Reads the NDJSON report of a run, one event a line: an object with one key, the event's name.
 * @param see the hook that is given every exchange
 * @throws ZodError when the report is of another version than the pinned one
 */
export async function readReport(file: string, see: (exchange: Exchange) => void): Promise<Ending> {
  const ending: Ending = { errors: [], finished: false };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const read = JSON.parse(line || '{}') as Record<string, unknown>;
    const [[name, event] = ['', undefined]] = Object.entries(read);
    if (name === 'EngineFinished') ending.finished = true;
    if (BROKEN.includes(name)) ending.errors.push(`${name}: ${JSON.stringify(event).slice(0, 1_000)}`);
    if (name === 'ScenarioFinished') exchangesIn(scenario.parse(event)).forEach(see);
  }
  return ending;
}

function exchangesIn({ phase, recorder: { label, cases, checks, interactions } }: Scenario): Exchange[] {
  const ids = new Set([...Object.keys(interactions), ...Object.keys(checks)]);
  return [...ids].map((id) => {
    const value = cases[id]?.value;
    const { request, response } = interactions[id] ?? {};
    const failed = (checks[id] ?? []).flatMap(({ name, status, failure_info: info }) =>
      status === 'failure'
        ? [{ check: name, says: info ? `${info.failure.title}: ${info.failure.message}` : '' }]
        : [],
    );
    return {
      operation: value && !/^[A-Z]+ \//.test(label) ? `${value.method.toUpperCase()} ${value.path}` : label,
      phase,
      request: request ? `${request.method} ${request.uri} ${request.body}` : '',
      status: response?.status_code ?? 0,
      answer: response?.content ?? '',
      failed:
        request && !response ? [...failed, { check: 'no_answer', says: 'There was no answer.' }] : failed,
    };
  });
}
