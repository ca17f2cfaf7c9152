import { z } from 'zod';
import { type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { amountOrZero, identifier } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { requireNetwork } from '../networks/operations';
import { NATIVE_DECIMALS } from '../networks/rules';
import { releaseExpired } from './allocations/end';
import { noteGasBalance } from './balance';
import { poolStats } from './operations';
import { restedBy } from './rules';
import { notedWalletSchema, notedWalletView, poolStatsSchema } from './view';

const TAG = 'Wallets';
const chain = identifier('local');

/** The operator's routes of the pool (`interface.md 4.1`, Wallets; decisions part 1, Roles). */
export function walletAdminRoutes(services: Services): Route[] {
  return [releaseExpiredRoute(services), statsRoute(services), gasBalanceRoute(services)];
}

function releaseExpiredRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v1/wallets/maintenance/release-expired',
    scope: 'manage',
    tag: TAG,
    summary: 'Release expired allocations',
    description:
      'Ends expired allocations and quarantines at once, which otherwise happens at each expiry and once an hour. `released` wallets were allocated and are quarantined; ' +
      '`returned` wallets were quarantined and are available. At most 1,000 of each: `more` tells that there may be others.',
    role: 'admin',
    permission: 'chain',
    body: z.strictObject({ chain: chain.optional().describe('Only this network.') }),
    response: z
      .object({
        released: z.int().describe('Allocations that have ended.'),
        returned: z.int().describe('Wallets that have left their quarantine.'),
        more: z.boolean().describe('True when more wallets are left for the next call.'),
      })
      .meta({ id: 'ReleasedAllocations' }),
    async write(tx, { caller, body, requestId }) {
      if (body.chain !== undefined) await requireNetwork(tx, body.chain, { field: 'chain' });
      const after = await releaseExpired(services, tx, { chain: body.chain });
      const subject = body.chain ?? '';
      const action = 'wallets.release-expired';
      await audit(tx, { caller, requestId, action, subject, tenantId: null, after });
      return after;
    },
  });
}

function statsRoute({ database, now }: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/wallets/stats',
    tag: TAG,
    summary: 'Wallet pool statistics',
    description: 'Counts of each network’s wallets by their present status.',
    role: 'admin',
    permission: 'view',
    response: pageSchema(poolStatsSchema),
    read: async () => whole(await poolStats(database, now())),
  });
}

function gasBalanceRoute(services: Services): Route {
  return route({
    method: 'PUT',
    path: '/v1/wallets/{address}/gas-balance',
    scope: 'manage',
    tag: TAG,
    summary: 'Update wallet gas balance',
    description:
      'Notes the native coin that you have seen on the wallet. `GET …/balance` shows it beside the chain’s answer.',
    role: 'admin',
    permission: 'chain',
    query: z.object({ chain }),
    body: z.strictObject({ gasBalance: amountOrZero() }),
    response: notedWalletSchema,
    async write(tx, { caller, params, query, body, requestId }) {
      const named = { chain: query.chain, address: params['address'] ?? '' };
      const { before, after } = await noteGasBalance(services, tx, named, body.gasBalance);
      const { kind } = await requireNetwork(tx, query.chain);
      await audit(tx, {
        caller,
        requestId,
        action: 'wallets.gas-balance',
        subject: after.id,
        tenantId: null,
        before: { gasBalance: before.gasBalance?.toFixed() ?? null },
        after: { gasBalance: after.gasBalance?.toFixed() },
      });
      return notedWalletView(restedBy(after, services.now()), NATIVE_DECIMALS[kind]);
    },
  });
}
