import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { instant } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import type { Access } from './access';
import { rotateSecret } from './secrets';
import { OVERLAP_SECONDS } from './settings';

export function clientRoutes({ keyring, access, now }: Services & { access: Access }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/client/secret/rotate',
      scope: 'manage',
      tag: 'Clients',
      summary: 'Rotate the client secret',
      description:
        'The new secret signs webhooks at once. The old secret authenticates until the overlap ends (24 hours unless ' +
        '`overlapSeconds` says otherwise). At most two secrets are valid: a secret that was still in its overlap ends now. ' +
        'Only the current secret may rotate, and a secret in its overlap gets a 403. Only one of several ' +
        'concurrent rotations succeeds. The event `client.secret_rotated` tells of the rotation. `overlapSeconds: 0` ends all other ' +
        'secrets, in all processes within a second. The secret is shown only once, so the answer is not kept under an idempotency key. If the answer is lost, the old secret cannot rotate ' +
        'again, and the operator issues a new one (`client rotate-secret`).',
      body: z.strictObject({
        overlapSeconds: z.number().int().min(0).max(OVERLAP_SECONDS.max).default(OVERLAP_SECONDS.default),
      }),
      response: z
        .object({ clientId: z.string(), clientSecret: z.string(), overlapEndsAt: instant() })
        .meta({ id: 'RotatedSecret' }),
      idempotency: 'ignored',
      // Any operator may renew his own credential.
      permission: 'view',
      status: 201,
      problems: ['forbidden'],
      async write(tx, { caller, requestId, body: { overlapSeconds } }) {
        const { tenantId, credentialId } = caller;
        const made = await rotateSecret(tx, keyring, tenantId, overlapSeconds, {
          by: credentialId,
          at: now(),
        });
        const { before, after } = made;
        const action = 'client.rotate-secret';
        await audit(tx, { caller, requestId, action, subject: tenantId, tenantId, before, after });
        tx.afterCommit(() => access.forget(tenantId));
        return made.credential;
      },
    }),
  ];
}
