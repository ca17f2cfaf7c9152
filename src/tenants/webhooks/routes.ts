import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { REGISTRATIONS } from '../../kernel/outbox/events';
import { createResolver, type Resolve } from '../../kernel/security/allowed-addresses';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { checkUrl } from '../../kernel/wire/reached-url';
import { moment } from '../../kernel/wire/schemas';
import { webUrl } from '../../kernel/wire/web-url';
import type { Services } from '../../services';
import { signingSecret } from '../clients/secrets';
import { shownKey, standardKeyOf } from './delivery/signature';
import { eventRoutes } from './events/routes';
import { deleteWebhook, listWebhooks, resendWebhooks, setWebhook } from './operations';
import { webhookSchema } from './view';

const TAG = 'Webhooks';
const registration = z.enum(REGISTRATIONS);

const counter = z.int().meta({ description: 'Deliveries that were queued again.' });

export function webhookRoutes(services: Services, resolve: Resolve = createResolver()): Route[] {
  return [
    listRoute(services),
    setRoute(services, resolve),
    deleteRoute(services),
    resendRoute(services),
    signingKeyRoute(services),
    ...eventRoutes(services),
  ];
}

const listRoute = ({ database }: Services) =>
  route({
    method: 'GET',
    path: '/v1/webhooks',
    tag: TAG,
    summary: 'List webhook URLs',
    description: 'One URL per type. `status` tells how its deliveries go.',
    response: pageSchema(webhookSchema),
    read: async ({ caller }) => whole(await listWebhooks(database, caller.tenantId)),
  });

function setRoute(services: Services, resolve: Resolve) {
  const { commands, mode, now } = services;
  return route({
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'manage',
    tag: TAG,
    summary: 'Set a webhook URL',
    description:
      'The URL must be https to a public address. In the sandbox it may also lead to this machine, by http as well. Each type ' +
      'has one URL, and setting it again replaces it. Without `type`, the URL of `card`, `account`, `cardholder` and `kyc` is ' +
      'set; each other type is registered separately. Earlier events are sent on request (`POST /v1/webhooks/resend`).',
    body: z.strictObject({
      url: webUrl(mode === 'sandbox' ? 'resolved' : 'nowhere', 'https://example.com/webhooks'),
      type: registration.optional(),
    }),
    response: pageSchema(webhookSchema),
    status: 201,
    // The name servers are queried before the transaction.
    prepare: ({ body }) => checkUrl(body.url, { allowLoopback: mode === 'sandbox' }, resolve),
    async write(tx, { body, caller, requestId }) {
      const { tenantId } = caller;
      const set = await setWebhook(tx, commands, { tenantId, ...body, now: now() });
      const after = { type: body.type, origin: new URL(body.url).origin };
      await audit(tx, { caller, requestId, action: 'webhooks.set', subject: tenantId, tenantId, after });
      return whole(set);
    },
  });
}

const deleteRoute = ({ commands }: Services) =>
  route({
    method: 'DELETE',
    path: '/v1/webhooks',
    scope: 'manage',
    tag: TAG,
    summary: 'Delete a webhook URL',
    description: 'Deletes the URL of one `type`, or all URLs. Undelivered events are kept for a resend.',
    query: z.object({ type: registration.optional() }),
    status: 204,
    async write(tx, { caller, query, requestId }) {
      const { tenantId } = caller;
      const { type } = query;
      await deleteWebhook(tx, commands, { tenantId, type });
      const action = 'webhooks.delete';
      await audit(tx, { caller, requestId, action, subject: tenantId, tenantId, after: { type } });
      return new Reply(204, undefined);
    },
  });

const resendRoute = ({ commands, now }: Services) =>
  route({
    method: 'POST',
    path: '/v1/webhooks/resend',
    scope: 'manage',
    tag: TAG,
    summary: 'Replay failed deliveries',
    description:
      'Queues undelivered events from `fromDate` on again, up to `toDate` if given: failed, waiting, parked, or recorded while no ' +
      'URL was set. ' +
      'The events are sent in the order in which they happened, at most eight at a time. One request in 10 seconds is allowed.',
    query: z.object({
      fromDate: moment().describe('Only events of this moment or later.'),
      toDate: moment().optional().describe('Only events before this moment.'),
    }),
    response: z
      .object({
        account: counter,
        card: counter,
        deposit: counter,
        cardholder: counter,
        kyc: counter,
        payout: counter,
        transfer: counter,
        total: counter,
      })
      .meta({ id: 'ResentWebhooks' }),
    problems: ['rate_limited'],
    write: (tx, { caller, query }) =>
      resendWebhooks(tx, commands, { tenantId: caller.tenantId, ...query, now: now() }),
  });

const signingKeyRoute = ({ database, keyring }: Services) =>
  route({
    method: 'GET',
    path: '/v1/webhooks/signing-key',
    scope: 'manage',
    tag: TAG,
    summary: 'Get the key of Standard Webhooks',
    description:
      'The key with which any library of Standard Webhooks verifies `webhook-signature`. The key is derived from the newest client ' +
      'secret, so it changes with each rotation. Until the old secret ends, `webhook-signature` also has a signature of the old key.',
    response: z
      .object({
        key: z.string().meta({
          description:
            '`whsec_` and the 32 bytes of the key in base64. Keep it as secret as the client secret.',
          examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
        }),
      })
      .meta({ id: 'SigningKey' }),
    read: async ({ caller }) => ({
      key: shownKey(standardKeyOf(await signingSecret(database, keyring, caller.tenantId))),
    }),
  });
