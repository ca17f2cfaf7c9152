import { isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { askingParty } from './party-retries';

/**
 * Proxies of activities that ask a party and mostly end at once. Each call is first a local activity, because that adds
 * one event to the history instead of six. If the local activity fails or is slow, the call becomes an activity and is
 * retried without limit. The activities must be idempotent.
 * @param taskQueue the party's own queue, so that a hanging party takes no workers from others
 */
export function localFirst<A>(taskQueue?: string): A {
  const quick = proxyLocalActivities({
    // A hanging party must not hold up a workflow task for longer.
    startToCloseTimeout: '1 second',
    retry: { maximumAttempts: 1 },
  }) as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const patient = proxyActivities({
    ...askingParty,
    // A signal during the retries has no effect, but each attempt looks anyway. A minute finds the end of an outage in
    // time.
    retry: { ...askingParty.retry, maximumInterval: '1 minute' },
    ...(taskQueue === undefined ? {} : { taskQueue }),
  }) as typeof quick;
  const both =
    (name: string) =>
    async (...args: unknown[]) => {
      try {
        return await quick[name]?.(...args);
      } catch (error) {
        if (isCancellation(error)) throw error;
        return patient[name]?.(...args);
      }
    };
  return new Proxy({}, { get: (_, name) => both(String(name)) }) as A;
}
