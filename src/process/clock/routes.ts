import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import type { Database } from '../../kernel/db/database';
import { advanceOffset, type ProductClock, readOffsetSeconds } from '../../kernel/product-clock';
import { duration } from './duration';

export interface ClockServices {
  mode: 'sandbox' | 'live';
  database: Database;
  productClock: ProductClock;
  /** Lets everything look at the new time. Never throws, and takes at most half a minute. */
  clockAdvanced(): Promise<void>;
}

const PATH = '/sandbox/clock';

const clockSchema = z
  .object({
    now: z.iso.datetime().describe('The present time of the product.'),
    offsetSeconds: z.int().describe('Seconds by which the product is ahead of the machine.'),
  })
  .meta({ id: 'SandboxClock' });

/** The clock of the sandbox. Not available in production. */
export function clockRoutes(services: ClockServices): Route[] {
  const { mode, database, productClock, clockAdvanced } = services;
  if (mode !== 'sandbox') return [];
  const view = (offsetSeconds: number) => ({
    now: new Date(productClock.machineNow().getTime() + offsetSeconds * 1_000).toISOString(),
    offsetSeconds,
  });
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: 'Sandbox',
      summary: "Read the sandbox's clock",
      description: 'Shows the time that every tenant of the sandbox has, and how far it is ahead.',
      role: 'admin',
      permission: 'view',
      response: clockSchema,
      read: async () => view(await readOffsetSeconds(database)),
    }),
    route({
      method: 'POST',
      path: PATH,
      scope: 'manage',
      tag: 'Sandbox',
      summary: "Advance the sandbox's clock",
      description:
        'Adds to the time of the whole sandbox, for all tenants and for good. Every open process then looks at the new time, and ' +
        'every schedule runs once, before the answer. Reports of parties follow within seconds. Pass an idempotency key, because ' +
        'a second request without one advances the clock again.',
      role: 'admin',
      permission: 'security',
      body: z.strictObject({
        advance: duration().describe(
          'A duration of ISO 8601 in weeks, days, hours, minutes and seconds: above 0, at most 400 days.',
        ),
      }),
      response: clockSchema,
      async write(tx, { body, caller, requestId }) {
        const { before, after } = await advanceOffset(tx, body.advance);
        await audit(tx, {
          caller,
          requestId,
          action: 'sandbox.clock',
          subject: 'sandbox',
          tenantId: null,
          before: { offsetSeconds: before },
          after: { offsetSeconds: after },
        });
        return view(after);
      },
      finish: clockAdvanced,
    }),
  ];
}
