import { z } from 'zod';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { reviewWord } from './word';

/** What goes over the wire between us and a reviewer of cardholders: shared by our adapter and the sandbox's application. */

/** Ten MiB in base64. */
const LONGEST_DOCUMENT = 14_000_000;

/**
 * Body of `POST /applications`. The documents stand in it, so that an application is taken whole or not at all, under one
 * key, and no document of a person is left at the party without one.
 */
export const applicationBody = z.object({
  /** Our name of the person. */
  cardholderId: z.string(),
  bin: z.string(),
  /** The fields of `interface.md 2.1` by their names, corrected. */
  person: z.record(z.string(), z.string()),
  documents: z
    .array(
      z.object({
        /** `idFrontImg`, `idBackImg` or `idHoldImg`. */
        slot: z.string(),
        contentType: z.string(),
        /** Base64; ten MiB at most. */
        content: z.string().min(1).max(LONGEST_DOCUMENT),
      }),
    )
    .max(3),
  callbackUrl: z.url(),
});

/** What that answers, and `GET /applications/{key}`: the word, with the key. */
export const applicationAnswer = reviewWord.extend({ key: partyName });

/** A callback: the party's name for the message, and the key of the application that has changed. */
export const callbackMessage = z.object({ id: partyName, key: partyName });

const KEY = 'chd_01h2xcejqtf2nbrexx3vqjhp41-1';

export const cardholderReviewProtocol: PartyProtocol = {
  name: 'cardholder-review',
  title: 'Cardholder review',
  purpose: 'Decides whether a person may hold a card, from the person’s data and documents.',
  operations: [
    {
      ...{ name: 'application', kind: 'order', method: 'POST', path: '/applications', ref: 'key' },
      summary: 'Hand in an application',
      description: 'Its documents stand in it, up to 48 MB in all: it is taken whole or not at all.',
      request: applicationBody,
      sample: ({ callbackUrl }) => ({
        ...{ cardholderId: 'chd_01h2xcejqtf2nbrexx3vqjhp41', bin: '44112201' },
        person: { firstName: 'Ada', lastName: 'Lovelace', accountPurpose: 'Shopping' },
        documents: [{ slot: 'idFrontImg', contentType: 'image/png', content: 'iVBORw0KGgo=' }],
        callbackUrl,
      }),
      another: {},
      answer: applicationAnswer,
      example: { key: KEY, version: 1, status: 'processing' },
      refusals: { malformed_order: 'The body is not of this shape, or the key is missing.' },
    },
    {
      ...{ name: 'state', kind: 'state', method: 'GET', path: '/applications/{key}', ref: 'key' },
      summary: 'The state of an application',
      answer: applicationAnswer,
      example: { key: KEY, version: 2, status: 'rejected', reason: 'The document has expired.' },
    },
  ],
  callback: { schema: callbackMessage, ref: 'key', example: { id: 'change-17', key: KEY } },
  changes: true,
};
