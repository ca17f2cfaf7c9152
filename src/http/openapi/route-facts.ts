import type { Route } from '../route';

/** Facts of a route that several parts of the document need. */

export function pathParameters(route: Route): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

/** Whether the route takes an idempotency key. */
export function keyOf(route: Route): 'optional' | 'required' | 'ignored' {
  if ('write' in route) return route.idempotency ?? 'optional';
  return 'gathered' in route ? 'optional' : 'ignored';
}
