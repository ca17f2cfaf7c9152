import { z } from 'zod';
import { type Route, route } from '../api/route';
import { instant } from '../api/schemas';
import type { Services } from '../composition';
import { rotateSecret } from './operations';

const DAY_SECONDS = 24 * 60 * 60;

export function clientRoutes({ keyring, now }: Services): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/client/secret/rotate',
      tag: 'Clients',
      summary: 'Rotate the client secret',
      description:
        'The new secret signs webhooks at once; the old one authenticates until the overlap ends. The secret is shown ' +
        'this once, so the answer is not kept under an idempotency key.',
      body: z.strictObject({
        overlapSeconds: z
          .number()
          .int()
          .min(0)
          .max(30 * DAY_SECONDS)
          .default(DAY_SECONDS),
      }),
      response: z.object({ clientId: z.string(), clientSecret: z.string(), overlapEndsAt: instant() }),
      idempotency: 'ignored',
      status: 201,
      write: (tx, { caller, body }) => rotateSecret(tx, keyring, caller.tenantId, body.overlapSeconds, now()),
    }),
  ];
}
