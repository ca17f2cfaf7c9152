import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route, type Settling } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import type { Tx } from '../../../kernel/db/database';
import type { Problem } from '../../../kernel/errors';
import { amount, identifier, text } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { HASH_SHAPE, HASH_TEXT } from '../../networks/hashes';
import { GUARDED } from '../guarded';
import { askAbout, confirmOperation } from './lifecycle/confirm';
import { createOperation, orderSweep, orderTopup } from './lifecycle/create';
import { exportable, exportOperation } from './lifecycle/export';
import { failOperation, fallible } from './lifecycle/fail';
import { gasOperationListRoutes } from './list-routes';
import { requireOperation } from './read';
import type { GasOperation, GasOperationType } from './record';
import { isOpen } from './rules';
import {
  type GasOperationView,
  gasExportSchema,
  gasExportView,
  gasOperationSchema,
  gasOperationView,
} from './view';

const PATHS = { sweep: '/v1/gas-station/operations', topup: '/v1/gas-station/topup-operations' } as const;
const WORDS = { sweep: 'a sweep operation', topup: 'a gas top-up' } as const;

const wallet = () => identifier('wal_01jz0000000000000000000000');

/** Routes of sweeps and top-ups (`interface.md 4.1`, Gas station). */
export const gasOperationRoutes = (services: Services): Route[] => [
  ...gasOperationListRoutes(services),
  createSweepRoute(services),
  createTopupRoute(services),
  ...(['sweep', 'topup'] as const).flatMap((type) => [
    confirmRoute(services, type),
    exportRoute(services, type),
    failRoute(services, type),
  ]),
];

/** Whether an operation waits for `export` and `confirm`, because it is not signed here. */
const awaitsCall = ({ execution, status }: GasOperationView): boolean =>
  execution === 'manual' && status !== 'confirming';

/** `Prefer: wait=N` holds the answer until the operation has ended or waits for another call. */
const settlingOf = ({ database }: Services, type: GasOperationType): Settling => ({
  read: async (_, id) => gasOperationView(await requireOperation(database, id, type)),
  settled: (operation: GasOperationView) => !isOpen(operation) || awaitsCall(operation),
});

/** Writes an action on an operation to the audit log. */
async function noted(
  tx: Tx,
  request: Pick<ApiRequest, 'caller' | 'requestId'>,
  what: string,
  after: GasOperation,
  before?: GasOperation,
): Promise<void> {
  const { caller, requestId } = request;
  const shown = ({ status, txHash, waitsFor, failureReason, cancelReason }: GasOperation) => ({
    status,
    txHash,
    waitsFor,
    failureReason,
    cancelReason: cancelReason ?? undefined,
  });
  await audit(tx, {
    caller,
    requestId,
    subject: after.id,
    tenantId: null,
    action: `gas-station.${after.type === 'sweep' ? 'operation' : 'topup-operation'}.${what}`,
    ...(before ? { before: shown(before) } : {}),
    after: shown(after),
  });
}

const createSweepRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: PATHS.sweep,
    scope: 'manage',
    ...GUARDED,
    status: 201,
    summary: 'Create a sweep operation',
    description:
      'Sweeps the whole balance of the asset to the treasury. Refused while a check of the preflight fails; the message names ' +
      'the check. A refusal is kept under its idempotency key: retry with another key. With `autoSweep` the service signs and ' +
      'broadcasts at once; otherwise the operation waits for `export` and `confirm`.',
    settling: settlingOf(services, 'sweep'),
    body: z.strictObject({ walletId: wallet(), asset: text(20).meta({ examples: ['USDT'] }) }),
    response: gasOperationSchema,
    problems: ['invalid_transition', 'unavailable'],
    prepare: ({ body }) => orderSweep(services, body),
    async write(tx, request, ordered) {
      const made = await createOperation(services, tx, ordered);
      await noted(tx, request, 'create', made);
      return gasOperationView(made);
    },
  });

const createTopupRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: PATHS.topup,
    scope: 'manage',
    ...GUARDED,
    status: 201,
    summary: 'Create a gas top-up operation',
    description:
      'Sends native coin from the station to a pool wallet, by default `gasTopupAmount`. A refusal is kept under its idempotency ' +
      'key: retry with another key.',
    settling: settlingOf(services, 'topup'),
    body: z.strictObject({ walletId: wallet(), amount: amount().optional() }),
    response: gasOperationSchema,
    problems: ['invalid_transition', 'unavailable'],
    prepare: ({ body }) => orderTopup(services, body),
    async write(tx, request, ordered) {
      const made = await createOperation(services, tx, ordered);
      await noted(tx, request, 'create', made);
      return gasOperationView(made);
    },
  });

const confirmRoute = (services: Services, type: GasOperationType): Route =>
  route({
    method: 'POST',
    path: `${PATHS[type]}/{id}/confirm`,
    scope: 'manage',
    ...GUARDED,
    summary: `Confirm ${WORDS[type]}`,
    description:
      'Names the executed transaction. The service checks it on the chain: sender, recipient, token, amount (as planned, or more), ' +
      'success, and that it belongs to no other operation. A transaction with too few confirmations, or a pending one, is followed ' +
      '(`confirming`). A wrong one is refused, and so is a pending one that does not show what it moves; the operation stays open. A ' +
      'transaction of an ended operation is still booked, and the status stays.',
    body: z.strictObject({
      txHash: z
        .string()
        .regex(HASH_SHAPE, HASH_TEXT)
        .meta({ examples: [`0x${'ab'.repeat(32)}`] }),
    }),
    response: gasOperationSchema,
    problems: ['invalid_transition', 'unavailable'],
    settling: settlingOf(services, type),
    prepare: ({ params, body }) => askAbout(services, { id: params['id'] ?? '', type }, body.txHash),
    async write(tx, request, asked) {
      const named = { id: request.params['id'] ?? '', type };
      const before = await requireOperation(tx, named.id, type, { lock: 'update' });
      const { operation, refusal } = await confirmOperation(services, tx, named, asked);
      await noted(tx, request, 'confirm', operation, before);
      return refusal ? refusedWith(refusal, request) : gasOperationView(operation);
    },
  });

/** Returns a refusal as a reply instead of throwing it, so that the transaction commits. */
const refusedWith = ({ status, code, message, field }: Problem, { requestId }: ApiRequest): Reply =>
  new Reply(status, { code, message, field, requestId });

const exportRoute = (services: Services, type: GasOperationType): Route =>
  route({
    method: 'GET',
    path: `${PATHS[type]}/{id}/export`,
    ...GUARDED,
    summary: `Export ${WORDS[type]} for manual execution`,
    description:
      'Returns the unsigned transaction for its sender to sign. The operation then awaits confirmation. A repeated export has ' +
      'today’s prices and the same nonce, so that only one of them can be executed.',
    query: z.object({ format: z.enum(['json', 'file']).optional().describe('`file`: as an attachment.') }),
    response: gasExportSchema,
    problems: ['invalid_transition', 'unavailable'],
    async read(request) {
      const { params, query } = request;
      const id = params['id'] ?? '';
      const given = await exportable(services, id, type);
      const exported = await services.database.transaction(async (tx) => {
        const before = await requireOperation(tx, id, type, { lock: 'update' });
        const made = await exportOperation(services, tx, { id, type }, given);
        await noted(tx, request, 'export', made.operation, before);
        return made;
      });
      const body = gasExportView(exported);
      if (query.format !== 'file') return body;
      return new Reply(200, body, { 'content-disposition': `attachment; filename="${id}.json"` });
    },
  });

const failRoute = (services: Services, type: GasOperationType): Route =>
  route({
    method: 'POST',
    path: `${PATHS[type]}/{id}/fail`,
    scope: 'manage',
    ...GUARDED,
    summary: `Mark ${WORDS[type]} failed`,
    description:
      'A transaction that was signed here and may be executed is cancelled by an empty transaction under the same nonce. The ' +
      'operation stays open with `cancelling` until one of the two is final. For an exported transaction the nonce is ' +
      'compared with the chain. If it was used, the operation stays open (409), and the message names the transfer if one is found.',
    body: z.strictObject({
      reason: text(500)
        .min(1)
        .meta({ examples: ['not needed'] }),
      batch: z.boolean().optional().describe('With all operations that share its transaction.'),
    }),
    response: gasOperationSchema,
    problems: ['invalid_transition', 'unavailable'],
    prepare: ({ params }) => fallible(services, { id: params['id'] ?? '', type }),
    async write(tx, request, found) {
      const id = request.params['id'] ?? '';
      const before = await requireOperation(tx, id, type);
      const { reason, batch = false } = request.body;
      const { operation, refusal } = await failOperation(services, tx, { id, type, reason, batch }, found);
      if (refusal) return refusedWith(refusal, request);
      await noted(tx, request, 'fail', operation, before);
      return gasOperationView(operation);
    },
  });
