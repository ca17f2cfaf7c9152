import type { Problem } from '../kernel/errors';

/** The body of an error (decisions part 1). */
export function problemBody(problem: Problem, requestId: string): string {
  return JSON.stringify({
    code: problem.code,
    message: problem.message,
    field: problem.field,
    ...problem.details,
    requestId,
  });
}
