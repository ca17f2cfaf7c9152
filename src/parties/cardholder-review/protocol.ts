import { z } from 'zod';
import type { PartyProtocol } from '../protocol/description';
import { partyName } from '../protocol/stored';
import { reviewWord } from './word';

/** The wire format between us and a cardholder reviewer. Our adapter and the sandbox's application share it. */

/** Characters of base64: ten MiB of content. */
const LONGEST_DOCUMENT = 14_000_000;

/**
 * Body of `POST /applications`. The documents are part of it, so that the party takes an application whole or not at
 * all. No document stays at the party without an application.
 */
export const applicationBody = z.object({
  /** Our id of the person. */
  cardholderId: z.string(),
  bin: z.string(),
  /** The fields of `interface.md 2.1` by their names, with corrections applied. */
  person: z.record(z.string(), z.string()),
  documents: z
    .array(
      z.object({
        /** `idFrontImg`, `idBackImg` or `idHoldImg`. */
        slot: z.string(),
        contentType: z.string(),
        /** Base64 of at most ten MiB. */
        content: z.string().min(1).max(LONGEST_DOCUMENT),
      }),
    )
    .max(3),
  callbackUrl: z.url(),
});

/** Answer to `POST /applications` and `GET /applications/{key}`: the present state, with the key. */
export const applicationAnswer = reviewWord.extend({ key: partyName });

/** A callback: the party's id of the message, and the key of the application that has changed. */
export const callbackMessage = z.object({ id: partyName, key: partyName });

const KEY = 'chd_01h2xcejqtf2nbrexx3vqjhp41-1';

export const cardholderReviewProtocol: PartyProtocol = {
  name: 'cardholder-review',
  title: 'Cardholder review',
  purpose: 'Decides whether a person may hold a card, from the person’s data and documents.',
  operations: [
    {
      name: 'application',
      kind: 'order',
      method: 'POST',
      path: '/applications',
      ref: 'key',
      summary: 'Hand in an application',
      description:
        'The body holds the documents, up to 48 MB in all. The party takes the application whole or not at all.',
      request: applicationBody,
      sample: ({ callbackUrl }) => ({
        cardholderId: 'chd_01h2xcejqtf2nbrexx3vqjhp41',
        bin: '44112201',
        person: { firstName: 'Ada', lastName: 'Lovelace', accountPurpose: 'Shopping' },
        documents: [{ slot: 'idFrontImg', contentType: 'image/png', content: 'iVBORw0KGgo=' }],
        callbackUrl,
      }),
      another: {},
      answer: applicationAnswer,
      example: { key: KEY, version: 1, status: 'processing' },
      refusals: { malformed_order: 'The body does not match this schema, or the key is missing.' },
    },
    {
      name: 'state',
      kind: 'state',
      method: 'GET',
      path: '/applications/{key}',
      ref: 'key',
      summary: 'The state of an application',
      answer: applicationAnswer,
      example: { key: KEY, version: 2, status: 'rejected', reason: 'The document has expired.' },
    },
  ],
  callback: { schema: callbackMessage, ref: 'key', example: { id: 'change-17', key: KEY } },
  changes: true,
};
