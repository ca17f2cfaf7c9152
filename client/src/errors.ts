import type { Answer } from './answer';

/** A wrong field of a request. */
export interface WrongField {
  field: string;
  message: string;
}

/** The API refused the request. `code` says why, for programs; `message` says why, for people. */
export class CardwrightError extends Error {
  override readonly name = 'CardwrightError';
  readonly status: number;
  /** A code of the document, such as `insufficient_funds`. `unreadable` when the answer is not an error of the API. */
  readonly code: string;
  /** Path of the first wrong field in the body. */
  readonly field: string | undefined;
  /** Every wrong field of a 400. */
  readonly errors: WrongField[];
  /** Name this id when you ask for help. */
  readonly requestId: string | undefined;

  constructor(
    request: string,
    /** The idempotency key of the request. A read has none. */
    readonly key: string | undefined,
    readonly answer: Answer,
  ) {
    const { code = 'unreadable', message, field, errors = [], requestId } = problemIn(answer.body);
    super(`${request} was answered ${answer.status} ${code}: ${message ?? 'no reason is given'}`);
    this.status = answer.status;
    this.code = code;
    this.field = field;
    this.errors = errors;
    this.requestId = requestId ?? answer.headers.get('x-request-id') ?? undefined;
  }
}

/**
 * No attempt got an answer in time, so the outcome is unknown. Repeat the request with the same `key`: it has at most one
 * effect.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(
    request: string,
    readonly key: string | undefined,
    cause: unknown,
  ) {
    super(`${request} got no answer: ${reasonOf(cause)}`, { cause });
  }
}

interface Problem {
  code?: string;
  message?: string;
  field?: string;
  errors?: WrongField[];
  requestId?: string;
}

const problemIn = (body: unknown): Problem => (typeof body === 'object' && body !== null ? body : {});

/** `fetch` hides the reason of a network fault in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
}
