/**
 * What a caller may be told: a small closed set, each knowing its status and code (decisions part 1). Domain operations
 * throw them; the API turns them into the error body. Anything else that is thrown is a fault of ours.
 */
export class Problem extends Error {
  override name = 'Problem';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The path of the field at fault in the body, as `fieldPath` writes it; a field of `meta` has its bare name. */
    readonly field?: string,
    /** Seconds, for `Retry-After`. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  /** A refusal on business grounds is a result: it is kept under the request's idempotency key like a success. */
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
export const alreadyExists = (message: string, field: string) =>
  new Problem(400, 'ErrAlreadyExists', message, field);
export const unauthorized = () =>
  new Problem(
    401,
    'unauthorized',
    'The headers x-client-id and x-client-secret do not name a valid credential.',
  );
/** Only after the right secret: a stranger learns nothing of the tenant. */
export const clientDisabled = () =>
  new Problem(401, 'client_disabled', 'The operator has disabled this company.');
export const forbidden = (message = 'This credential may not call this endpoint.') =>
  new Problem(403, 'forbidden', message);
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
