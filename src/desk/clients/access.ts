import { z } from 'zod';
import { countOpenCards } from '../../cards/cards/operations';
import type { Sql, Tx } from '../../kernel/db/database';
import { type Decision, decision, type Effect } from '../../process/desk/decision';
import { assertNoStop, assertStopped } from '../../process/stops/operations';
import type { StopKind } from '../../process/stops/record';
import type { Services } from '../../services';
import { setClientStatus } from '../../tenants/clients/operations';
import { countUnordered, lookAtUnordered } from '../../transfers/unordered';
import { stoppingOf } from '../stops/stopping';
import { type Client, clients } from './subject';

type AccessServices = Pick<Services, 'commands' | 'now'>;

/** Decisions that shut a tenant out, and let it in again. Every API process follows within a second. */
export const accessDecisions = (services: AccessServices): Decision[] => [disable, enable(services)];

const factsOf = ({ status, stops }: Client) => ({ status, stops: stops.join(' ') });

/** How many open cards decline, and how many orders wait that no party was told of. */
interface StoppedBy {
  cards: number;
  orders: number;
}

const stoppedBy = async (sql: Sql, tenantId: string, stops: readonly StopKind[]): Promise<StoppedBy> => ({
  cards: stops.includes('tenant') ? await countOpenCards(sql, { tenantId }) : 0,
  orders: stops.length > 0 ? await countUnordered(sql, tenantId) : 0,
});

const effectsOf = (before: StoppedBy, after: StoppedBy): Effect[] => [
  { field: 'open cards that decline', from: String(before.cards), to: String(after.cards) },
  { field: 'orders that wait', from: String(before.orders), to: String(after.orders) },
];

const disable: Decision = decision<Client, { apiOnly: boolean }>({
  name: 'client.disable',
  title:
    'shuts a tenant out: its calls answer 401, its cards decline, its orders that no party has wait; money is booked',
  permission: 'security',
  subject: clients,
  input: z.strictObject({
    apiOnly: z.boolean().default(false).meta({ description: 'Leaves its cards working.' }),
  }),
  restsOn: factsOf,
  async preview(tx, { id, subject: { status, stops }, input: { apiOnly } }) {
    assertNoStop(stops, apiOnly ? 'tenant_api' : 'tenant', id);
    const before = await stoppedBy(tx, id, stops);
    const after = await stoppedBy(tx, id, [apiOnly ? 'tenant_api' : 'tenant']);
    return [{ field: 'status', from: status, to: 'disabled' }, ...effectsOf(before, after)];
  },
  async execute(tx, { id, at, input: { apiOnly } }, by) {
    const status = 'disabled';
    const before = await setClientStatus(tx, id, status, stoppingOf(by, at), { apiOnly });
    return { before: { status: before }, after: { status, apiOnly }, result: { clientId: id, status } };
  },
});

const enable = (services: AccessServices): Decision =>
  decision<Client>({
    name: 'client.enable',
    title: 'lets a tenant in again, with the secrets that it had; what has waited goes on at once',
    permission: 'security',
    subject: clients,
    restsOn: factsOf,
    async preview(tx, { id, subject: { status, stops } }) {
      assertStopped(stops, id);
      const before = await stoppedBy(tx, id, stops);
      return [{ field: 'status', from: status, to: 'active' }, ...effectsOf(before, { cards: 0, orders: 0 })];
    },
    async execute(tx: Tx, { id, at }, by) {
      const status = 'active';
      const before = await setClientStatus(tx, id, status, stoppingOf(by, at));
      await lookAtUnordered(services, tx, id);
      return { before: { status: before }, after: { status }, result: { clientId: id, status } };
    },
  });
