import { continuedTrace, presentTrace, withinSpan } from '../../../kernel/tracing/trace';
import { outcomeOf } from './observed-poster';
import type { Poster } from './poster';

/**
 * Makes each attempt in a span of the trace that caused the event. The receiver gets the span as `traceparent`, so that its own
 * trace continues it. The header holds random numbers only, and the signature does not cover it.
 */
export const tracedPoster = (poster: Poster): Poster => ({
  ...poster,
  post: (lane, delivery) =>
    continuedTrace(delivery.traceparent, () =>
      withinSpan(
        { kind: 'client', name: 'webhook', attributes: { 'cardwright.event': delivery.event } },
        async (span) => {
          const attempt = await poster.post(lane, { ...delivery, sentTraceparent: presentTrace() });
          span?.set({ attributes: { 'cardwright.outcome': attempt ? outcomeOf(attempt) : 'not_sent' } });
          return attempt;
        },
      ),
    ),
});
