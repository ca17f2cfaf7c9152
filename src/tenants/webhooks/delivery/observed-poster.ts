import type { Observers, WebhookOutcome } from '../../../kernel/metrics/observers';
import type { Attempt, Poster } from './poster';

/** Counts and times the attempts of a poster. */
export const observedPoster = (poster: Poster, observe: Observers['observeWebhook']): Poster => ({
  ...poster,
  async post(lane, delivery) {
    const attempt = await poster.post(lane, delivery);
    if (attempt) observe(outcomeOf(attempt), attempt.durationMs / 1_000);
    return attempt;
  },
});

/** The outcome as a label of few values, because a receiver may answer with any status. */
export function outcomeOf({ ok, status, code }: Pick<Attempt, 'ok' | 'status' | 'code'>): WebhookOutcome {
  if (ok) return 'delivered';
  if (status === undefined) return code === 'timeout' ? 'timeout' : 'unreachable';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 && status < 600 ? 'http_5xx' : 'http_other';
}
