import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { invalid } from '../../kernel/errors';
import { identifier, text } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { type AllocationRequest, allocateWallet, type HeldWallet } from './allocations/allocate';
import { releaseWallet } from './allocations/end';
import { walletBalance } from './balance';
import { TTL_SECONDS } from './rules';
import { OPEN_ALLOCATIONS } from './settings';
import { heldWalletSchema, heldWalletView, walletBalanceSchema, walletBalanceView } from './view';

const tag = 'Wallets';
const capability = 'crypto';
const chain = identifier('local').describe('Name of a network: `GET /v1/networks`.');
const address = identifier('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');

/** The clients' routes of wallets (`interface.md 4.1`, Wallets). */
export function walletRoutes(services: Services): Route[] {
  return [allocateRoute(services), releaseRoute(services), balanceRoute(services)];
}

const shown = (
  { now, walletQuarantineSeconds }: Services,
  held: HeldWallet,
  { reach }: Pick<ApiRequest['caller'], 'reach'>,
) =>
  heldWalletView(held, {
    at: now(),
    quarantineSeconds: walletQuarantineSeconds,
    isAdmin: reach === null,
  });

function allocateRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v1/wallets/allocate',
    scope: 'money',
    tag,
    capability,
    summary: 'Allocate a wallet for a deposit',
    description:
      'Keeps an address for one payer. Payments to the address are credited to the account, converted to the currency of the account. ' +
      'Answers 201 for a new allocation, and 200 when the reference is known, whatever its state. Answers 409 `invalid_transition` while ' +
      `the network is disabled, and 409 \`limit_exceeded\` at the company’s limit of wallets (${OPEN_ALLOCATIONS.toLocaleString('en')} by ` +
      'default). An address of a scope counts once. Release wallets whose payers are done. A released or expired wallet counts until its quarantine has ended.',
    body: z.strictObject({
      chain,
      asset: text(20)
        .min(1)
        .meta({ examples: ['USDT'] }),
      accountId: identifier('acc_01jz0000000000000000000000'),
      reference: text(200)
        .min(1)
        .describe('Unique within the company.')
        .meta({ examples: ['order-1'] }),
      ttlSeconds: z
        .int()
        .min(TTL_SECONDS.min)
        .max(TTL_SECONDS.max)
        .optional()
        .describe('Absent: until released.')
        .meta({ examples: [86_400] }),
      permanent: z
        .boolean()
        .optional()
        .describe('Keeps the address for good, in place of `ttlSeconds`. Default: false.'),
      scope: z
        .enum(['evm'])
        .optional()
        .describe(
          'Gives one address on all enabled EVM networks. A network that is enabled later joins. Takes `permanent`.',
        ),
    }),
    response: heldWalletSchema,
    status: 201,
    mayExist: true,
    problems: ['ErrAlreadyExists', 'invalid_transition', 'account_closed', 'user_blocked', 'limit_exceeded'],
    async write(tx, { caller, body, requestId }) {
      assertTerms(body);
      const held = await allocateWallet(services, tx, body, caller.reach);
      const record = shown(services, held, caller);
      if (!held.made) return new Reply(200, record);
      const { id: subject, tenantId } = held.allocation;
      const after = { chain: body.chain, address: record.address, accountId: body.accountId };
      await auditAdmin(tx, { caller, requestId, action: 'wallets.allocate', subject, tenantId, after });
      return record;
    },
  });
}

/** @throws Problem 400 naming `ttlSeconds` or `scope` */
function assertTerms({ permanent, scope, ttlSeconds }: AllocationRequest): void {
  if (permanent && ttlSeconds !== undefined)
    throw invalid('ttlSeconds must be absent for a permanent address.', 'ttlSeconds');
  if (scope !== undefined && !permanent) throw invalid('scope takes permanent: true.', 'scope');
}

function releaseRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v1/wallets/release',
    scope: 'money',
    tag,
    capability,
    summary: 'Release an allocated wallet',
    description:
      'Ends the allocation, on all networks of its scope. The payer must send nothing more: later payments are not credited automatically. After its rest the address may be ' +
      'allocated to you again, and never to another company. A repeated release returns the ended allocation.',
    body: z.strictObject({ chain, address }),
    response: heldWalletSchema,
    async write(tx, { caller, body, requestId }) {
      const { before, ...held } = await releaseWallet(services, tx, body, caller.reach);
      const { id: subject, tenantId, endedAt } = held.allocation;
      const after = { endedAt: endedAt?.toISOString() };
      await auditAdmin(tx, {
        caller,
        requestId,
        action: 'wallets.release',
        subject,
        tenantId,
        before: { endedAt: before.endedAt?.toISOString() ?? null },
        after,
      });
      return shown(services, held, caller);
    },
  });
}

function balanceRoute(services: Services): Route {
  return route({
    method: 'GET',
    path: '/v1/wallets/{address}/balance',
    tag,
    capability,
    summary: 'Wallet information',
    description:
      'Read from the chain now; 503 while it cannot be asked. 404 for a wallet that is not allocated to you.',
    query: z.object({ chain }),
    response: walletBalanceSchema,
    problems: ['unavailable'],
    async read({ caller: { reach }, params, query }) {
      const named = { chain: query.chain, address: params['address'] ?? '' };
      return walletBalanceView(await walletBalance(services, reach, named), { isAdmin: reach === null });
    },
  });
}
