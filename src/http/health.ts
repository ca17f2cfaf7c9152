import { z } from 'zod';
import type { Readiness } from '../kernel/readiness';
import { Reply, type Route, route } from './route';

const READINESS = z.object({
  status: z.enum(['ok', 'unavailable']),
  checks: z.record(z.string(), z.enum(['up', 'down'])),
});

/** For probes, without credentials: whether the process serves, and whether all that it needs answers. */
export function healthRoutes(readiness: () => Promise<Readiness>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      tag: 'Health',
      summary: 'Liveness probe',
      role: 'public',
      response: z.object({ status: z.literal('ok') }),
      read: async () => ({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      tag: 'Health',
      summary: 'Readiness probe',
      description: '503, with the same body, while Postgres or Temporal does not answer.',
      role: 'public',
      response: READINESS,
      async read() {
        const answer = await readiness();
        return answer.status === 'ok' ? answer : new Reply(503, answer, { 'retry-after': '2' });
      },
    }),
  ];
}
