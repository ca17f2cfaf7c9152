import {
  type ActivityOptions,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import { askingParty } from './party-retries';
import { type Activity, type Summaries, summarized } from './steps';

/** A signal during the retries has no effect, but each attempt looks anyway. A minute finds the end of an outage in time. */
const ASKING: ActivityOptions = {
  ...askingParty,
  retry: { ...askingParty.retry, maximumInterval: '1 minute' },
};

/**
 * Proxies of activities that ask a party and mostly end at once. Each call is first a local activity, because that adds
 * one event to the history instead of six. If the local activity fails or is slow, the call becomes an activity and is
 * retried without limit. The activities must be idempotent.
 * @param taskQueue the party's own queue, so that a hanging party takes no workers from others
 * @param options of the activity
 */
export function localFirst<A>(
  taskQueue: string,
  summaries: Summaries<A>,
  options: Pick<ActivityOptions, 'startToCloseTimeout' | 'retry'> = ASKING,
): A {
  const quick = {
    // A hanging party must not hold up a workflow task for longer.
    startToCloseTimeout: '1 second',
    retry: { maximumAttempts: 1 },
  } as const;
  const patient = { ...options, taskQueue };
  return summarized(summaries, (name, summary) => async (...args) => {
    const first = proxyLocalActivities({ ...quick, summary })[name] as Activity;
    try {
      return await first(...args);
    } catch (error) {
      if (isCancellation(error)) throw error;
      const again = `${summary}, until there is an answer`;
      const patiently = proxyActivities({ ...patient, summary: again })[name] as Activity;
      return patiently(...args);
    }
  });
}
