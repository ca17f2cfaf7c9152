import { createDelivery } from '../../../../activities/webhooks';
import { probeEndpoint } from '../../../../src/tenants/webhooks/delivery/recovery';
import { type Client, type TestApi, testApi } from '../../../support/api';
import { type Receiver, startReceiver } from '../../../support/outside/receiver';
import { until } from '../../../support/until';
import { aboutToFail, append, dispatching, endpointOf, eventsOf, register } from '../support';

const DAY_MS = 24 * 60 * 60_000;

let api: TestApi;
let receiver: Receiver;
let ahead = 0;
beforeAll(async () => {
  const now = () => new Date(Date.now() + ahead);
  [api, receiver] = await Promise.all([testApi({ now }), startReceiver()]);
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

/** Refuses an event, so that the endpoint begins to fail. */
async function begunToFail(client: Client): Promise<void> {
  await append(api, client);
  await aboutToFail(api, client);
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await until(async () => (await endpointOf(api, client))?.status === 'failing');
  await dispatcher.stop();
}

const probe = async (client: Client) => {
  const at = (await endpointOf(api, client))?.next_probe_at?.getTime() ?? 0;
  return probeEndpoint(
    createDelivery({ ...api.services, mode: 'live' }, { ca: receiver.ca, allowLoopback: true }),
    {
      tenantId: client.clientId,
      registration: 'card',
      now: at,
      random: 0.5,
    },
  );
};

it('forgets an endpoint’s earlier failures once no event waits', async () => {
  const client = await api.client();
  receiver.answer('/days', 503);
  await register(client, `${receiver.url}/days`, 'card');
  await begunToFail(client);
  for (let probes = 1; probes <= 8; probes += 1) await probe(client);
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'failed', attempts: 9 }]);
  expect(await probe(client)).toMatchObject({ failing: false });
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active', recent_failures: 0 });
  ahead = 8 * DAY_MS;
  await append(api, client);
  const dispatcher = dispatching(api, { ca: receiver.ca });
  await until(async () => (await eventsOf(api, client))[1]?.attempts === 1);
  await dispatcher.stop();
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active', recent_failures: 1 });
  await begunToFail(client);
  expect(await probe(client)).toMatchObject({ failing: true, code: 'http_503' });
  ahead += 7 * DAY_MS;
  await api.database.query('update webhook_endpoints set next_probe_at = $2 where tenant_id = $1', [
    client.clientId,
    new Date(Date.now() + ahead),
  ]);
  expect(await probe(client)).toMatchObject({ failing: false });
  expect(await endpointOf(api, client)).toMatchObject({
    status: 'disabled',
    last_error: 'nothing_taken_for_7_days',
  });
});

it('is first probed within seconds, although other events wait for hours', async () => {
  const client = await api.client();
  receiver.answer('/first', 503);
  await register(client, `${receiver.url}/first`, 'card');
  await append(api, client);
  await api.database.query(
    `update events set due_at = now() + interval '6 hours', attempts = 6 where tenant_id = $1`,
    [client.clientId],
  );
  await begunToFail(client);
  const first = (await endpointOf(api, client))?.next_probe_at?.getTime() ?? 0;
  expect(first - Date.now() - ahead).toBeLessThanOrEqual(25_000);
});

it('in the sandbox is probed every 25 s, and its events keep the attempts of their schedule', async () => {
  const client = await api.client();
  receiver.answer('/soon', 503);
  await register(client, `${receiver.url}/soon`, 'card');
  await begunToFail(client);
  const delivery = createDelivery(api.services, { ca: receiver.ca });
  const [before] = await eventsOf(api, client);
  for (let probes = 1; probes <= 12; probes += 1) {
    const now = (await endpointOf(api, client))?.next_probe_at?.getTime() ?? 0;
    const place = { tenantId: client.clientId, registration: 'card' as const };
    // The event's own turn is far away.
    await api.database.query(`update events set due_at = now() + interval '60 days' where tenant_id = $1`, [
      client.clientId,
    ]);
    const state = await probeEndpoint(delivery, { ...place, now, random: 0.5 });
    expect(state.nextProbeAt - now).toBeLessThanOrEqual(25_000);
  }
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'due', attempts: before?.attempts }]);
  const { body } = await client.call('GET', '/v1/events');
  expect(body.data[0].deliveries[0].attempts).toHaveLength(13);
  receiver.answer('/soon', 204);
  const now = (await endpointOf(api, client))?.next_probe_at?.getTime() ?? 0;
  await probeEndpoint(delivery, { tenantId: client.clientId, registration: 'card', now, random: 0.5 });
  expect(await endpointOf(api, client)).toMatchObject({ status: 'active' });
  expect(await eventsOf(api, client)).toMatchObject([{ delivery: 'delivered' }]);
});
