import { DEVIATIONS, type Deviation } from './deviations';
import type { Failure } from './report';

/** Classes of faults in an answer, the most serious first. */
export const CLASSES = [
  'server error',
  'authentication',
  'accepted bad input',
  'answer not as documented',
  'rejected good input',
  'other',
] as const;
export type FindingClass = (typeof CLASSES)[number];

const BY_CHECK: Record<string, FindingClass> = {
  not_a_server_error: 'server error',
  no_answer: 'server error',
  max_response_time: 'server error',
  ignored_auth: 'authentication',
  object_level_authorization: 'authentication',
  negative_data_rejection: 'accepted bad input',
  missing_required_header: 'accepted bad input',
  status_code_conformance: 'answer not as documented',
  content_type_conformance: 'answer not as documented',
  response_headers_conformance: 'answer not as documented',
  response_schema_conformance: 'answer not as documented',
  allow_header_conformance: 'answer not as documented',
  unsupported_method: 'answer not as documented',
  use_after_free: 'answer not as documented',
  ensure_resource_availability: 'answer not as documented',
  positive_data_acceptance: 'rejected good input',
};

/** Failures of the same kind at one operation. */
export interface Finding {
  class: FindingClass;
  check: string;
  operation: string;
  status: number;
  code: string;
  field: string;
  count: number;
  /** The first failure. */
  example: Failure;
  /** Why the answer is correct. Undefined for an unexplained failure. */
  reason?: string;
}

/** An unknown check is `other`, so that no failure is lost. */
export const classOf = (check: string): FindingClass => BY_CHECK[check] ?? 'other';

/** Sorts findings by class, and within a class the unexplained ones first. */
export function classify(failures: Failure[], deviations: Deviation[] = DEVIATIONS): Finding[] {
  const findings = new Map<string, Finding>();
  for (const failure of failures) {
    const { check, operation, status, code, field } = failure;
    const reason = deviations.find((deviation) => explains(deviation, failure))?.reason;
    const name = [check, operation, status, code, field, reason].join('\n');
    const known = findings.get(name);
    if (known) known.count += 1;
    else {
      const finding = { class: classOf(check), check, operation, status, code, field };
      findings.set(name, { ...finding, count: 1, example: failure, ...(reason ? { reason } : {}) });
    }
  }
  const weight = ({ class: of, reason }: Finding) => CLASSES.indexOf(of) * 2 + (reason ? 1 : 0);
  return [...findings.values()].sort((a, b) => weight(a) - weight(b));
}

function explains(deviation: Deviation, failure: Failure): boolean {
  const { check, operations, status, code, fields, message } = deviation;
  return (
    check === failure.check &&
    (operations?.test(failure.operation) ?? true) &&
    (status === undefined || status === failure.status) &&
    (code === undefined || code === failure.code) &&
    (fields?.includes(failure.field) ?? true) &&
    (message?.test(failure.message) ?? true)
  );
}
