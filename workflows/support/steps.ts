import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import { summaryOf } from './summary';

/** A line for operators about each activity. A function gets the arguments of the call. */
export type Summaries<A> = {
  [Name in keyof A]: A[Name] extends (...args: infer Args) => unknown
    ? string | ((...args: Args) => string)
    : never;
};

export type Activity = (...args: unknown[]) => Promise<unknown>;

/**
 * Proxies of activities. Each call carries a summary that operators read in Temporal's UI.
 * @param summaries for instance `(cardId) => 'order ' + cardId + ' from the card processor'`
 */
export function steps<A>(options: ActivityOptions, summaries: Summaries<A>): A {
  return summarized(summaries, (name, summary) => proxyActivities({ ...options, summary })[name] as Activity);
}

/** @param proxyOf the activity of that name, with the summary among its options */
export function summarized<A>(
  summaries: Summaries<A>,
  proxyOf: (name: string, summary: string) => Activity,
): A {
  const given = Object.entries<string | ((...args: unknown[]) => string)>(summaries as never);
  return Object.fromEntries(
    given.map(([name, summary]) => [
      name,
      (...args: unknown[]) =>
        proxyOf(name, summaryOf(typeof summary === 'string' ? summary : summary(...args)))(...args),
    ]),
  ) as A;
}
