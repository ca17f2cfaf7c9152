import { orUnknown, parseAnswer, verifiedMessage } from '../protocol/answers';
import { changesOver } from '../protocol/changes';
import { type AdapterOptions, partyClient } from '../protocol/client';
import type { Screening } from './port';
import { callbackMessage, screeningAnswer } from './protocol';
import type { ScreeningWord } from './word';

/**
 * Adapter of a screening party, over our JSON protocol. `POST /screenings` asks under an `idempotency-key`. `GET
 * /screenings/{key}` and `GET /changes` read. Callbacks `{ id, key }` are signed over their exact bytes.
 */
export function createHttpScreening(options: AdapterOptions): Screening {
  const client = partyClient(options);
  const { secret, now = () => new Date() } = options;
  return {
    isOn: true,
    async screen({ key, amount, ...request }) {
      return wordOf(key, await client.post('/screenings', { ...request, amount: amount.toFixed() }, key));
    },
    outcome: (key) =>
      orUnknown(client.get(`/screenings/${encodeURIComponent(key)}`).then((answer) => wordOf(key, answer))),
    changes: changesOver(client),
    verify(raw, headers) {
      const message = verifiedMessage(callbackMessage, raw, headers, { secret, now: now() });
      return message && { externalId: message.id, ref: message.key };
    },
  };
}

/** Rejects an answer about another screening. */
function wordOf(asked: string, answer: unknown): ScreeningWord {
  const { key: _, ...word } = parseAnswer(screeningAnswer, answer, ({ key }) => key === asked);
  return word;
}
