import { isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { askingParty } from './party-retries';

/**
 * Steps that ask a party and mostly end at once. Each is first tried within the workflow's own task, which costs one event
 * of history instead of six; where that attempt fails, or takes longer than a task should, it is made as an activity of its
 * own, and again for as long as it takes. For steps that are the same when they are done twice.
 * @param taskQueue the party's own: one that hangs takes nobody else's workers
 */
export function localFirst<A>(taskQueue?: string): A {
  const quick = proxyLocalActivities({
    // A party that hangs holds up a workflow's task no longer.
    startToCloseTimeout: '1 second',
    retry: { maximumAttempts: 1 },
  }) as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const patient = proxyActivities({
    ...askingParty,
    // A look that comes meanwhile is not heard, but each attempt is one: what the party says after an outage is found in time.
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
