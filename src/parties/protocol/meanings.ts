import { plainCode } from './codes';

/** The result of a request. Without a status and without `unsent`, no answer came, and the request may have arrived. */
export interface Answered {
  status?: number;
  /** As JSON. Absent where the body is no JSON. */
  body?: unknown;
  /** No connection was made, so nothing was sent. */
  unsent?: boolean;
}

/** A row of the table of answers. */
export interface Meaning {
  asked: 'GET' | 'POST';
  /** In words, for docs/parties.md. */
  answered: string;
  fits(answered: Answered & { code: string | undefined }): boolean;
  /** The error that an adapter throws. Absent: the answer is returned. */
  thrown?: 'PartyRefused' | 'PartyAway' | 'OutcomeUnknown';
  means: string;
  /** What happens to the money. */
  money: string;
}

const SAME_AGAIN = 'It stays held. We repeat the order under the same key.';

/**
 * What each answer of our protocol means; the first matching row counts. The client, docs/parties.md and the checks of
 * a party read this table. Only a `code` proves that the party answered, because a proxy between us may set any status.
 * A wrong address or credential is therefore never a refusal: we correct it and repeat the order.
 */
export const MEANINGS: readonly Meaning[] = [
  {
    asked: 'GET',
    answered: '2xx with JSON of the documented shape',
    fits: ({ status, body }) => isSuccess(status) && body !== undefined,
    means: 'The present state of the record.',
    money: 'The books follow this state.',
  },
  {
    asked: 'GET',
    answered: '404 with the code `not_found`',
    fits: ({ status, code }) => status === 404 && code === 'not_found',
    thrown: 'PartyRefused',
    means: 'The party has no such record.',
    money:
      'The party never took the order, and we repeat it under its key. Where the party has reported the record before, a person gets a break.',
  },
  {
    asked: 'GET',
    answered: 'anything else: another status, no answer, an unreadable answer',
    fits: () => true,
    thrown: 'PartyAway',
    means: 'The state is unknown now.',
    money: 'Nothing moves. We ask again.',
  },
  {
    asked: 'POST',
    answered: '2xx with JSON of the documented shape',
    fits: ({ status, body }) => isSuccess(status) && body !== undefined,
    means: 'The order is taken, now or earlier under this key.',
    money: 'The books follow the state in the answer.',
  },
  {
    asked: 'POST',
    answered: '409, or a code about the key (`idempotency_…`)',
    fits: ({ status, code }) => status === 409 || code?.startsWith('idempotency_') === true,
    thrown: 'OutcomeUnknown',
    means: 'An order with this key is being taken, or a different one was taken. The order may be done.',
    money: SAME_AGAIN,
  },
  {
    asked: 'POST',
    answered: '400 or 422 with a code',
    fits: ({ status, code }) => code !== undefined && [400, 422].includes(status ?? 0),
    thrown: 'PartyRefused',
    means: 'The party refuses for good.',
    money:
      'The transfer fails with that code, and its hold is released. Never answer so about an order that was taken.',
  },
  {
    asked: 'POST',
    answered: 'no connection; 401, 403 or 429; 404, 405 or 503 with a code',
    fits: ({ status = 0, code, unsent }) =>
      unsent === true || NOT_LET_IN.includes(status) || (code !== undefined && NOT_TAKEN.includes(status)),
    thrown: 'PartyAway',
    means: 'Nothing was done.',
    money: SAME_AGAIN,
  },
  {
    asked: 'POST',
    answered: 'anything else: 5xx, a 4xx without a code, no answer, an unreadable answer',
    fits: () => true,
    thrown: 'OutcomeUnknown',
    means: 'The order may have been done.',
    money:
      'It stays held until the outcome is known. We repeat the order under the same key, or read its state. It never counts as a failure.',
  },
];

/** Nothing was done, even if a proxy answered: a wrong credential, or too many requests. */
const NOT_LET_IN = [401, 403, 429];
/** Nothing was done, if the party itself answered. */
const NOT_TAKEN = [404, 405, 503];

const isSuccess = (status = 0): boolean => status >= 200 && status < 300;

/** The row of {@link MEANINGS} that matches an answer. */
export function meaningOf(asked: Meaning['asked'], answered: Answered): Meaning {
  const known = { ...answered, code: codeOf(answered.body) };
  // The last row of each method matches anything.
  return MEANINGS.find((line) => line.asked === asked && line.fits(known)) as Meaning;
}

/** The code of a refusal. Undefined where it is no plain word. */
export const codeOf = (body: unknown): string | undefined =>
  plainCode(((body ?? {}) as { code?: unknown }).code);
