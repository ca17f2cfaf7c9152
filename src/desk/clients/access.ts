import { z } from 'zod';
import type { Tx } from '../../kernel/db/database';
import { type Decision, decision } from '../../process/desk/decision';
import { assertNoStop, assertStopped } from '../../process/stops/operations';
import type { Services } from '../../services';
import { setClientStatus } from '../../tenants/clients/operations';
import { lookAtUnordered } from '../../transfers/unordered';
import { stoppingOf } from '../stops/stopping';
import { type Client, clients } from './subject';

type AccessServices = Pick<Services, 'commands' | 'now'>;

/** Decisions that shut a tenant out, and let it in again. Every API process follows within a second. */
export const accessDecisions = (services: AccessServices): Decision[] => [disable, enable(services)];

const factsOf = ({ status, stops }: Client) => ({ status, stops: stops.join(' ') });

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
  async preview(_, { id, subject: { status, stops }, input: { apiOnly } }) {
    assertNoStop(stops, apiOnly ? 'tenant_api' : 'tenant', id);
    const declined = stops.includes('tenant');
    return [
      { field: 'status', from: status, to: 'disabled' },
      { field: 'cards', from: declined ? 'decline' : 'work', to: apiOnly ? 'work' : 'decline' },
    ];
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
    async preview(_, { id, subject: { status, stops } }) {
      assertStopped(stops, id);
      return [
        { field: 'status', from: status, to: 'active' },
        { field: 'cards', from: stops.includes('tenant') ? 'decline' : 'work', to: 'work' },
      ];
    },
    async execute(tx: Tx, { id, at }, by) {
      const status = 'active';
      const before = await setClientStatus(tx, id, status, stoppingOf(by, at));
      await lookAtUnordered(services, tx, id);
      return { before: { status: before }, after: { status }, result: { clientId: id, status } };
    },
  });
