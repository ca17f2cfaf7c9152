import { z } from 'zod';
import type { Exchange } from '../schemathesis/report';
import { EXCEPTIONS, type Exception } from './exceptions';

/** The checks of schemathesis by the class of the fault that they find, the most serious class first. */
const CHECKS = {
  'server error': ['not_a_server_error', 'no_answer', 'max_response_time'],
  authentication: ['ignored_auth', 'object_level_authorization'],
  'accepted bad input': ['negative_data_rejection', 'missing_required_header'],
  'answer not as documented': [
    ...['status_code_conformance', 'content_type_conformance', 'response_headers_conformance'],
    ...['response_schema_conformance', 'allow_header_conformance', 'unsupported_method'],
    ...['use_after_free', 'ensure_resource_availability'],
  ],
  'rejected good input': ['positive_data_acceptance'],
  /** An unknown check, so that no failure is lost. */
  other: [],
} satisfies Record<string, string[]>;
export type FindingClass = keyof typeof CHECKS;
export const CLASSES = Object.keys(CHECKS) as FindingClass[];

/** An answer that fails a check. */
export interface Finding extends Omit<Exchange, 'failed'> {
  class: FindingClass;
  check: string;
  /** The check's message. */
  says: string;
  /** Error code of the answer; empty without one. */
  code: string;
  field: string;
  message: string;
  /** Why the answer is allowed. Undefined for an unexplained finding. */
  reason?: string;
}

const refusal = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.object({ code: z.string(), field: z.string().default(''), message: z.string() }));
const NONE = { code: '', field: '', message: '' };

/** Judges one answer: a finding for each failed check, with the reason of the exception that allows it. */
export function judge({ failed, ...exchange }: Exchange, exceptions: Exception[] = EXCEPTIONS): Finding[] {
  return failed.map(({ check, says }) => {
    const fault = CLASSES.find((name) => (CHECKS[name] as string[]).includes(check)) ?? 'other';
    const finding = { class: fault, check, says, ...exchange, ...refusalIn(exchange.answer) };
    const reason = exceptions.find((exception) => allows(exception, finding))?.reason;
    return reason === undefined ? finding : { ...finding, reason };
  });
}

function refusalIn(answer: string): typeof NONE {
  try {
    return refusal.parse(answer);
  } catch {
    return NONE;
  }
}

function allows({ operations, fields, message, reason: _, ...same }: Exception, finding: Finding): boolean {
  return (
    Object.entries(same).every(([name, value]) => finding[name as keyof Finding] === value) &&
    (operations?.test(finding.operation) ?? true) &&
    (fields?.includes(finding.field) ?? true) &&
    (message?.test(finding.message) ?? true)
  );
}
