import { z } from 'zod';
import { HASH_SHAPE, HASH_TEXT } from '../../chain/networks/hashes';
import { type Route, route } from '../../http/route';
import { auditAdmin } from '../../kernel/audit/audit';
import { identifier } from '../../kernel/wire/schemas';
import type { Services } from '../../services';
import { confirmDeposit, findOnChain, readConfirmed } from './confirm';
import { heldCredit } from './rules';
import { type ChainDepositView, chainDepositSchema, chainDepositView } from './view';

/** Routes of deposits on chains (`interface.md 4.1`, Wallets; decisions part 4). */
export function chainDepositRoutes(services: Services): Route[] {
  return [confirmRoute(services)];
}

function confirmRoute(services: Services): Route {
  return route({
    method: 'POST',
    path: '/v1/wallets/deposit',
    scope: 'money',
    tag: 'Wallets',
    capability: 'crypto',
    summary: 'Confirm a deposit',
    description:
      'Claims a deposit by its transaction, which must be in a block: a pending or unknown one is refused (400). The deposit is ' +
      'credited once it is final; deposits are also found without this call. Each transfer of the transaction to the address is ' +
      'booked once. The answer is the transfer that `logIndex` names, or the first one, as it is now. A known deposit is answered ' +
      'whatever has become of its transaction. `Prefer: wait=N` waits until it is final. Native coin that a contract has passed on ' +
      'appears in no transaction, and is answered once two operators have recorded it. A refusal is kept under its idempotency ' +
      'key: retry with another key.',
    body: z.strictObject({
      chain: identifier('local'),
      address: identifier('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
      txHash: z
        .string()
        .regex(HASH_SHAPE, HASH_TEXT)
        .meta({ examples: [`0x${'ab'.repeat(32)}`] }),
      logIndex: z
        .int()
        .min(0)
        .max(2 ** 31 - 1)
        .optional()
        .meta({ description: 'Index of the log in its block.' }),
    }),
    response: chainDepositSchema,
    status: 202,
    problems: ['invalid_transition', 'unavailable'],
    settling: {
      read: async ({ caller: { reach } }, id) => chainDepositView(await readConfirmed(services, id, reach)),
      settled: ({ status }: ChainDepositView) => status !== 'confirming',
      awaitsPerson: async ({ caller: { reach } }, id) =>
        heldCredit(await readConfirmed(services, id, reach)) !== undefined,
    },
    prepare: ({ caller, body }) => findOnChain(services, body, caller.reach),
    async write(tx, request, found) {
      const { caller, idempotencyKey } = request;
      const deposit = await confirmDeposit(services, tx, found, { reach: caller.reach, idempotencyKey });
      const { id: subject, tenantId, status } = deposit.transfer;
      await auditAdmin(tx, { ...request, action: 'wallets.deposit', subject, tenantId, after: { status } });
      return chainDepositView(deposit);
    },
  });
}
