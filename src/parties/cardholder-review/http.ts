import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CardholderReview } from './port';
import { applicationAnswer, callbackMessage } from './protocol';
import type { ReviewWord } from './word';

/**
 * Longer than usual, because an application has up to 40 MB. Its activity's time-out leaves room for one more request.
 */
const SUBMIT_TIMEOUT_MS = 15_000;

/**
 * Adapter of a cardholder reviewer, over our JSON protocol. `POST /applications` hands in an application under an
 * `idempotency-key`, with its documents as base64. `GET /applications/{key}` and `GET /changes` read. Callbacks `{ id,
 * key }` are signed over their exact bytes.
 */
export function createHttpCardholderReview(options: AdapterOptions): CardholderReview {
  const client = partyClient(options);
  const patient = partyClient({ timeoutMs: SUBMIT_TIMEOUT_MS, ...options });
  const { secret, now = () => new Date() } = options;
  return {
    async submit({ key, documents, ...application }) {
      const encoded = documents.map((each) => ({ ...each, content: each.content.toString('base64') }));
      const body = { ...application, documents: encoded };
      return wordOf(key, await patient.post('/applications', body, key));
    },
    outcome: (key) =>
      orUnknown(client.get(`/applications/${encodeURIComponent(key)}`).then((answer) => wordOf(key, answer))),
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(callbackMessage, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key };
    },
  };
}

/** Rejects an answer about another application. */
function wordOf(asked: string, answer: unknown): ReviewWord {
  const { key: _, ...word } = parseAnswer(applicationAnswer, answer, ({ key }) => key === asked);
  return word;
}
