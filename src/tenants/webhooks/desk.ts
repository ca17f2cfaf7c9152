import { z } from 'zod';
import { countEventsByHour } from '../../kernel/outbox/event-counts';
import { REGISTRATIONS, type Registration } from '../../kernel/outbox/events';
import { findToldEvent } from '../../kernel/outbox/told-events';
import { timestamp } from '../../kernel/wire/schemas';
import { commonLists, line } from '../../process/desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { keepingHours, series } from '../../process/desk/figure';
import { columnsOf, type List, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type DeskDeps, type Story, storyOf } from '../../process/desk/story';
import { waitingFilterOf, waitingFilters } from '../../process/desk/waiting-filters';
import type { Services } from '../../services';
import { tenantOf } from '../clients/operations';
import type { Tenant } from '../clients/record';
import {
  countFailed,
  countFaultyEndpoints,
  endpointsPage,
  type ListedEndpoint,
  listFaulty,
  placeOfEndpoint,
  retryFailed,
} from './operator';
import { ENDPOINT_STATUSES } from './record';

/** A delivery may still end after its hour, and a whole day is read again then. */
const KEPT_MS = 3_600_000;

type WebhookDeskServices = Pick<Services, 'database' | 'commands' | 'now'>;

/** The desk of clients' endpoints, and of what waits for them. */
export const webhookDesk = (services: WebhookDeskServices): Desk =>
  defineDesk({
    name: 'webhooks',
    title: 'Endpoints of clients, and what waits for them',
    lists: [allEndpoints(services), faultyEndpoints(services)],
    records: [
      record({
        kind: 'event',
        title: 'A webhook event with its delivery',
        story: (id, limit) => storyOfEvent(services, id, limit),
      }),
    ],
    decisions: [retry(services)],
    figures: [
      series({
        name: 'webhooks',
        title: 'webhooks by the hour of their event, and how their delivery stands',
        unit: 'webhooks',
        points: keepingHours(
          async (from, to) =>
            (await countEventsByHour(services.database, { from, to })).map(({ at, delivery, count }) => ({
              at,
              labels: { delivery },
              value: count,
            })),
          KEPT_MS,
        ),
      }),
    ],
  });

const columnsFor = <Row extends ListedEndpoint>() => {
  const columns = columnsOf<Row>();
  return {
    client: columns.id('client', ({ tenantId }) => tenantId),
    type: columns.text('type', ({ registration }) => registration),
    status: columns.status('status', ({ status }) => status),
    due: columns.text('due', ({ due }) => due),
    failed: columns.text('failed', ({ failed }) => failed),
    parked: columns.text('parked', ({ parked }) => parked),
    url: columns.text('url', ({ url }) => url),
    lastError: columns.text('last error', ({ lastError }) => lastError),
  };
};

const allEndpoints = ({ database }: WebhookDeskServices): List =>
  list({
    name: 'webhooks',
    title: 'registered endpoints with the deliveries that wait, were given up or are parked',
    filters: z.object({
      client: z.string().max(200).optional().meta({ description: 'Id of the tenant.' }),
      status: z.enum(ENDPOINT_STATUSES).optional(),
    }),
    columns: columnsFor<ListedEndpoint>(),
    rows: ({ filters: { client, status }, after, limit }) =>
      endpointsPage(database, { tenantId: client, status, after: after?.id, limit }),
    place: placeOfEndpoint,
  });

type Faulty = ListedEndpoint & { since: Date };

const faultyEndpoints = ({ database, now }: WebhookDeskServices): List =>
  list({
    name: 'endpoints',
    title: 'webhook endpoints that fail, or were disabled after a 410 or 7 days of failures: tell the tenant',
    filters: waitingFilters({ kind: 'The status.' }),
    columns: {
      ...columnsFor<Faulty>(),
      since: columnsOf<Faulty>().since('since', ({ since }) => since),
    },
    rows: (page) => listFaulty(database, waitingFilterOf(page, now())),
    place: (endpoint) => ({ ...placeOfEndpoint(endpoint), since: endpoint.since }),
    waitsSince: (sql) => countFaultyEndpoints(sql),
    fails: true,
  });

/** The tenant is not locked, because a retry changes its endpoints and events alone. */
const receivers: SubjectSpec<Tenant> = {
  noun: 'client',
  kinds: ['tenant'],
  read: tenantOf,
  lock: tenantOf,
  tenantOf: ({ id }) => id,
};

interface Input {
  type?: Registration | undefined;
  from?: Date | undefined;
}

const retry = (services: WebhookDeskServices): Decision =>
  decision<Tenant, Input>({
    name: 'webhooks.retry',
    title: 'queues deliveries again that were given up, in the order of their time',
    permission: 'security',
    subject: receivers,
    input: z.strictObject({
      type: z.enum(REGISTRATIONS).optional().meta({ description: 'Of this registration only.' }),
      from: timestamp().optional().meta({ description: 'Of events since then only.' }),
    }),
    reason: 'optional',
    restsOn: ({ status }) => ({ status }),
    async preview(tx, { id, input: { type, from } }) {
      const failed = await countFailed(tx, { tenantId: id, registration: type, fromDate: from });
      return [{ field: 'deliveries given up', from: String(failed), to: '0' }];
    },
    async execute(tx, { id, input: { type, from } }) {
      const given = { tenantId: id, registration: type, fromDate: from };
      const queued = await retryFailed(tx, services.commands, given);
      return {
        after: { type: type ?? 'all', from: from?.toISOString() ?? null, queued },
        result: queued,
      };
    },
  });

async function storyOfEvent(
  { database }: Pick<DeskDeps, 'database'>,
  id: string,
  limit: number,
): Promise<Story | undefined> {
  const found = await findToldEvent(database, id);
  if (!found) return undefined;
  const { tenantId, delivery, at, deliveredAt } = found;
  return storyOf(
    id,
    {
      what: 'webhook event',
      tenantId,
      status: delivery,
      since: (deliveredAt ?? at).toISOString(),
      record: line(found),
    },
    await commonLists(database, { id }, limit),
    limit,
  );
}
