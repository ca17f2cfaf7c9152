import { plainCode } from './codes';

/** What came of a request; nothing of both: no answer came, and the request may have arrived. */
export interface Answered {
  status?: number;
  /** As JSON; absent where it is none. */
  body?: unknown;
  /** No connection came to be: nothing was sent. */
  unsent?: boolean;
}

/** A line of the table of answers. */
export interface Meaning {
  asked: 'GET' | 'POST';
  /** In words, for docs/parties.md. */
  answered: string;
  fits(answered: Answered & { code: string | undefined }): boolean;
  /** What an adapter throws; absent: it is an answer. */
  thrown?: 'PartyRefused' | 'PartyAway' | 'OutcomeUnknown';
  means: string;
  /** What becomes of the money. */
  money: string;
}

const SAME_AGAIN = 'It stays held. The same order is given again under the same key.';

/**
 * What every answer of our protocol means, the first line that fits: for the client, which goes by it, for docs/parties.md and for the
 * checks of a party. A `code` is the party's own, for a status alone may come from whatever stands between us. So a wrong
 * address or credential is never a refusal: it is ours to set right, and the same order is given again then.
 */
export const MEANINGS: readonly Meaning[] = [
  {
    asked: 'GET',
    answered: '2xx with JSON of the documented shape',
    fits: ({ status, body }) => isSuccess(status) && body !== undefined,
    means: 'The present state of the record.',
    money: 'The books are brought to what it says.',
  },
  {
    asked: 'GET',
    answered: '404 with the code `not_found`',
    fits: ({ status, code }) => status === 404 && code === 'not_found',
    thrown: 'PartyRefused',
    means: 'The party has no such record.',
    money:
      'An order of ours was never taken, and is given again under its key. A record that the party has told of before is a break for a person.',
  },
  {
    asked: 'GET',
    answered: 'anything else: another status, no answer, one that cannot be read',
    fits: () => true,
    thrown: 'PartyAway',
    means: 'Nothing is known just now.',
    money: 'Nothing moves. It is asked again.',
  },
  {
    asked: 'POST',
    answered: '2xx with JSON of the documented shape',
    fits: ({ status, body }) => isSuccess(status) && body !== undefined,
    means: 'The order is taken, now or before under this key.',
    money: 'The books are brought to the state that it tells.',
  },
  {
    asked: 'POST',
    answered: '409, or a code about the key (`idempotency_…`)',
    fits: ({ status, code }) => status === 409 || code?.startsWith('idempotency_') === true,
    thrown: 'OutcomeUnknown',
    means: 'An order of this key is being taken, or was another one: it may be done.',
    money: SAME_AGAIN,
  },
  {
    asked: 'POST',
    answered: '400 or 422 with a code',
    fits: ({ status, code }) => code !== undefined && [400, 422].includes(status ?? 0),
    thrown: 'PartyRefused',
    means: 'The party will never do it.',
    money:
      'The transfer has failed with that code, and what was held for it is released: never say this of an order that was taken.',
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
    answered: 'anything else: 5xx, a 4xx without a code, no answer, one that cannot be read',
    fits: () => true,
    thrown: 'OutcomeUnknown',
    means: 'It may have been done.',
    money:
      'It stays held until the party says more. The same order is given again under the same key, or the state is asked for: never a failure.',
  },
];

/** Ours to set right, or too much at once: nothing was done, whoever answers. */
const NOT_LET_IN = [401, 403, 429];
/** The same where the party itself says so. */
const NOT_TAKEN = [404, 405, 503];

const isSuccess = (status = 0): boolean => status >= 200 && status < 300;

/** The line of {@link MEANINGS} that an answer falls under. */
export function meaningOf(asked: Meaning['asked'], answered: Answered): Meaning {
  const known = { ...answered, code: codeOf(answered.body) };
  // The last line of each fits whatever comes.
  return MEANINGS.find((line) => line.asked === asked && line.fits(known)) as Meaning;
}

/** The code of a refusal, where it has a plain one. */
export const codeOf = (body: unknown): string | undefined =>
  plainCode(((body ?? {}) as { code?: unknown }).code);
