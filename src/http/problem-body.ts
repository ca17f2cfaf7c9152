import type { FieldError, Problem } from '../kernel/errors';

/** The body of an error (decisions part 1). */
export function problemBody(problem: Problem, requestId: string): string {
  const { code, message, field, details } = problem;
  return JSON.stringify({ code, message, field, errors: errorsOf(problem), ...details, requestId });
}

/** Every 400 that names a field lists its wrong fields, so that a client reads them in one way. */
function errorsOf({ status, message, field, details }: Problem): readonly FieldError[] | undefined {
  if (status !== 400 || field === undefined) return undefined;
  return details?.errors ?? [{ field, message }];
}
