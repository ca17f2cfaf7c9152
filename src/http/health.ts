import { z } from 'zod';
import { buildId } from '../kernel/build';
import { type Readiness, readinessAnswer } from '../kernel/readiness';
import { Reply, type Route, route } from './route';

const checks = z.record(z.string(), z.enum(['up', 'down']));
const status = z.literal('ok').describe('Always `ok`. A failing probe has another HTTP status.');
const build = z
  .string()
  .describe('The version of the product and the first digits of the hash of its sources.')
  .meta({ example: '1.0.0+3f0c9a1be27d' });
const READINESS = z.object({ status, checks }).meta({ id: 'Readiness' });

/** Liveness and readiness probes, without credentials. */
export function healthRoutes(readiness: () => Promise<Readiness>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      tag: 'Health',
      summary: 'Liveness probe',
      description: 'Says that the process answers. Postgres and Temporal are not checked.',
      role: 'public',
      probe: true,
      response: z.object({ status, build }).meta({ id: 'Health' }),
      read: async () => ({ status: 'ok' as const, build: buildId() }),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      tag: 'Health',
      summary: 'Readiness probe',
      description:
        '503 with `checks` while Postgres does not answer and while the process stops. Requests succeed without Temporal, so an ' +
        'absence of Temporal shows in `checks` only.',
      role: 'public',
      probe: true,
      response: READINESS,
      unavailable: { checks },
      async read({ requestId }) {
        const { status, body, headers } = readinessAnswer(await readiness(), requestId);
        return new Reply(status, body, headers);
      },
    }),
  ];
}
