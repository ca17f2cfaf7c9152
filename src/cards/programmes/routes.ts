import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { identifier } from '../../kernel/wire/schemas';
import { requireUser } from '../../people/users/operations';
import type { Services } from '../../services';
import { listAdmittedBins, requireAdmittedBin, setUserBin } from './operations';
import { BINS_DEPRECATED } from './record';
import { binSchema, binView } from './view';

const TAG = 'Bins';

/** The BIN catalogue (`interface.md 4.1`, deprecated): a tenant sees the BINs that it may issue on. */
export function binRoutes({ database }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/bins',
      tag: TAG,
      summary: 'BIN catalogue',
      description:
        'Lists the card programmes that you are admitted to. `GET /v2/accounts` lists them by account.',
      deprecated: BINS_DEPRECATED,
      response: pageSchema(binSchema),
      read: async ({ caller }) => whole((await listAdmittedBins(database, caller.reach)).map(binView)),
    }),
    route({
      method: 'GET',
      path: '/v1/bins/{bin}/cardholder-registration',
      tag: TAG,
      summary: 'Check whether a new cardholder can be registered on the BIN',
      description: '`reason` says why registration is closed.',
      deprecated: BINS_DEPRECATED,
      response: z
        .object({
          bin: z.string(),
          open: z.boolean().describe('True when a new cardholder can be registered.'),
          reason: z.string().optional(),
        })
        .meta({ id: 'CardholderRegistration' }),
      async read({ params, caller }) {
        const bin = await requireAdmittedBin(database, caller.reach, params['bin'] ?? '');
        if (bin.status === 'active') return { bin: bin.bin, open: true };
        return { bin: bin.bin, open: false, reason: 'The BIN is closed.' };
      },
    }),
    userBinRoute(),
  ];
}

function userBinRoute(): Route {
  return route({
    method: 'POST',
    path: '/v1/users/{id}/bins',
    scope: 'cards',
    tag: 'Users',
    summary: 'Enable or disable a BIN for a user',
    description:
      'Enables (the default) or disables a BIN for a user. Answers 201 when the user had no setting for the BIN, else 200.',
    body: z.strictObject({
      bin: identifier('44112200'),
      enabled: z.boolean().default(true).describe('True when the user may hold cards of the BIN.'),
    }),
    response: z.object({ userId: z.string(), bin: z.string(), enabled: z.boolean() }).meta({ id: 'UserBin' }),
    status: 201,
    mayExist: true,
    async write(tx, { caller, params, body: { bin, enabled }, requestId }) {
      const user = await requireUser(tx, caller.reach, params['id'] ?? '', { lock: 'share' });
      const created = await setUserBin(tx, user, bin, enabled);
      await auditAdmin(tx, {
        caller,
        requestId,
        action: 'users.set-bin',
        subject: user.id,
        tenantId: user.tenantId,
        after: { bin, enabled },
      });
      return new Reply(created ? 201 : 200, { userId: user.id, bin, enabled });
    },
  });
}
