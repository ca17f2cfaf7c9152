/** A wrong field of a request: its path, and a message that names it. */
export interface FieldError {
  field: string;
  message: string;
}

/**
 * An error that callers may see, one of a closed set of statuses and codes (decisions part 1). Operations throw it, and
 * the API turns it into the error body. Any other error is internal.
 */
export class Problem extends Error {
  override name = 'Problem';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Path of the wrong field in the body, as `fieldPath` writes it. Fields of `meta` have their bare name. */
    readonly field?: string,
    /** Seconds, for `Retry-After`. */
    readonly retryAfter?: number,
    /** Further fields of the error body. `errors` lists every wrong field where several are known. */
    readonly details?: { readonly errors?: readonly FieldError[] } & Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }

  /** Whether the refusal is a result that is stored under the idempotency key, as a success is. */
  get isResult(): boolean {
    return this.status === 409 || this.status === 412;
  }
}

export type ConflictCode =
  | 'status_not_editable'
  | 'no_linked_user'
  | 'insufficient_funds'
  | 'quote_expired'
  | 'quote_used'
  | 'cardholder_not_approved'
  | 'bin_closed'
  | 'card_not_active'
  | 'card_closed'
  | 'user_blocked'
  | 'account_closed'
  | 'limit_exceeded'
  | 'invalid_transition'
  | 'version_conflict';

export const invalid = (message: string, field?: string) =>
  new Problem(400, 'invalid_request', message, field);
/** A refusal of several fields. The first one is the refusal's own. */
export const invalidFields = (errors: readonly [FieldError, ...FieldError[]]) =>
  new Problem(400, 'invalid_request', errors[0].message, errors[0].field, undefined, { errors });
export const alreadyExists = (message: string, field: string) =>
  new Problem(400, 'ErrAlreadyExists', message, field);
export const unauthorized = () =>
  new Problem(
    401,
    'unauthorized',
    'The headers x-client-id and x-client-secret do not name a valid credential.',
  );
/** Only for the right secret, so that a stranger learns nothing about the tenant. */
export const clientDisabled = () =>
  new Problem(401, 'client_disabled', 'The operator has disabled this company.');
export const forbidden = (message = 'This credential may not call this endpoint.') =>
  new Problem(403, 'forbidden', message);
export const scopeMissing = (scope: string) =>
  new Problem(403, 'scope_missing', `This secret does not have the scope ${scope}.`);
export const capabilityDisabled = () =>
  new Problem(403, 'capability_disabled', 'This capability is not enabled for the company.');
export const notFound = (what: string, field?: string) =>
  new Problem(404, 'not_found', `${what} not found.`, field);
export const conflict = (code: ConflictCode, message: string, field?: string) =>
  new Problem(409, code, message, field);
export const inProgress = () =>
  new Problem(
    409,
    'idempotency_in_progress',
    'A request with this idempotency key is still being processed.',
  );
export const mismatch = () =>
  new Problem(422, 'idempotency_mismatch', 'This idempotency key was used with another request.');
export const precondition = (code: 'kyc_not_completed' | 'documents_missing', message: string) =>
  new Problem(412, code, message);
export const unavailable = (message = 'The service cannot answer just now; nothing was recorded.') =>
  new Problem(503, 'unavailable', message, undefined, 2);
export const outcomeUnknown = () =>
  new Problem(
    503,
    'outcome_unknown',
    'The outcome is not known: repeat the request with the same idempotency key.',
    undefined,
    2,
  );
