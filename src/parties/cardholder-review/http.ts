import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { CardholderReview } from './port';
import { applicationAnswer, callbackMessage } from './protocol';
import type { ReviewWord } from './word';

/** An application brings up to forty megabytes with it; shorter than its activity's time-out less a question's. */
const SUBMIT_TIMEOUT_MS = 15_000;

/**
 * A reviewer of cardholders over our JSON protocol: `POST /applications` under an `idempotency-key`, its documents in it as
 * base64, `GET /applications/{key}`, `GET /changes`, and callbacks `{ id, key }` signed over their exact bytes.
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

/** An answer about another application is none. */
function wordOf(asked: string, answer: unknown): ReviewWord {
  const { key: _, ...word } = parseAnswer(applicationAnswer, answer, ({ key }) => key === asked);
  return word;
}
