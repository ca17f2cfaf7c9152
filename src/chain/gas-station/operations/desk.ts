import { z } from 'zod';
import { decision, type SubjectSpec } from '../../../process/desk/decision';
import { type Desk, defineDesk } from '../../../process/desk/desk';
import { gauge } from '../../../process/desk/figure';
import { columnsOf, list } from '../../../process/desk/list';
import { record } from '../../../process/desk/record';
import type { Services } from '../../../services';
import { assertExpires, expireNow } from './lifecycle/expire-now';
import { findOperation, listOperations } from './read';
import { GAS_OPERATION_TYPES, type GasOperation } from './record';
import { countOpenByStatus } from './store';
import { gasOperationStory } from './story';
import { gasOperationView } from './view';

const columns = columnsOf<GasOperation>();

/** The desk of sweeps to the treasury, and of the top-ups that pay for them. */
export function gasOperationDesk(services: Pick<Services, 'database' | 'commands' | 'mode' | 'now'>): Desk {
  const { database } = services;
  return defineDesk({
    name: 'gas-operation',
    title: 'Sweeps and top-ups of the gas station',
    lists: [
      list({
        name: 'gas-operations',
        title: 'operations that have not ended, newest first',
        filters: z.object({
          chain: z.string().max(100).optional(),
          type: z.enum(GAS_OPERATION_TYPES).optional(),
          asset: z.string().max(20).optional(),
        }),
        columns: {
          id: columns.id('id', ({ id }) => id),
          type: columns.text('type', ({ type }) => type),
          chain: columns.text('chain', ({ chain }) => chain),
          wallet: columns.id('wallet', ({ walletId }) => walletId),
          // Text, because the chain may have more decimals than the ledger.
          amount: columns.text('amount', (each) => `${gasOperationView(each).amount} ${each.asset}`),
          status: columns.status('status', ({ status }) => status),
          waitsFor: columns.text('waits for', ({ waitsFor }) => waitsFor),
          since: columns.since('since', ({ updatedAt }) => updatedAt),
          created: columns.time('created', ({ createdAt }) => createdAt),
        },
        rows: ({ filters, after, limit }) =>
          listOperations(
            database,
            filters,
            { after: after && ([after.since.toISOString(), after.id] as const), rows: limit },
            { open: true },
          ),
        place: ({ id, createdAt }) => ({ id, since: createdAt }),
      }),
    ],
    records: (['sweepOperation', 'topupOperation'] as const).map((kind) =>
      record({
        kind,
        title: kind === 'sweepOperation' ? 'A sweep' : 'A gas top-up',
        story: (id, limit) => gasOperationStory(services, id, limit),
      }),
    ),
    decisions: [
      decision<GasOperation>({
        name: 'gas-operation.expire',
        title: 'in the sandbox: ends the day of an open operation now',
        permission: 'chain',
        subject: operations,
        reason: 'optional',
        restsOn: ({ status }) => ({ status }),
        async preview(_, { subject, at }) {
          assertExpires(services, subject);
          return [{ field: 'expiresAt', from: subject.expiresAt.toISOString(), to: at.toISOString() }];
        },
        async execute(tx, { id }) {
          const { chain, expiresAt } = await expireNow(services, tx, id);
          return { after: { chain, expiresAt }, result: { id, expiresAt: expiresAt.toISOString() } };
        },
      }),
    ],
    figures: [
      gauge({
        name: 'gas-operations-open',
        title: 'operations of the gas station that have not ended, by type and status',
        unit: 'operations',
        values: async () =>
          (await countOpenByStatus(database)).map(({ type, status, count }) => ({
            labels: { type, status },
            value: count,
          })),
      }),
    ],
  });
}

const operations: SubjectSpec<GasOperation> = {
  noun: 'operation',
  kinds: ['sweepOperation', 'topupOperation'],
  read: (sql, id) => findOperation(sql, id),
  lock: (tx, id) => findOperation(tx, id, { lock: 'update' }),
  tenantOf: () => null,
};
